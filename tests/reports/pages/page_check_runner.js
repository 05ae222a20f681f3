// Runs check_proof.js as a worker would: questions as JSON lines on stdin, answers as JSON lines on stdout.
const {readFileSync} = require("fs");
const {createInterface} = require("readline");
const {createContext, runInContext} = require("vm");

let answered;
const worker = createContext({
  atob, Blob, performance, crypto: globalThis.crypto, postMessage: (answer) => answered(answer),
});
for (const path of process.argv.slice(2)) runInContext(readFileSync(path, "utf-8"), worker);

async function main() {
  for await (const line of createInterface({input: process.stdin})) {
    const {hasCrypto, bytes, ...question} = JSON.parse(line);
    if (bytes) question.data = {format: "binary", bytes: Uint8Array.from(Buffer.from(bytes, "base64")).buffer};
    worker.crypto = hasCrypto ? globalThis.crypto : undefined;
    const answer = new Promise((resolve) => (answered = resolve));
    worker.onmessage({data: question});
    console.log(JSON.stringify(await answer, (_, value) => (typeof value === "bigint" ? String(value) : value)));
  }
}

main();
