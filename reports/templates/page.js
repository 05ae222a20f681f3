// The page is complete without this script but for what moves: the check of proofs, copying, sorting, the replay.
const $ = (id) => document.getElementById(id);
const json = (id) => $(id) && JSON.parse($(id).textContent);
const page = json("page-data"), {view, run} = page;
// The data in the page, or the file that is handed in.
let source = json("data-text");
const all = (selector) => [...document.querySelectorAll(selector)];
const on = (selector, kind, act) => all(selector).forEach((box) => box.addEventListener(kind, act));
const full = (n) => n.toLocaleString("en"), count = (n, noun) => `${full(n)} ${noun}${n === 1 ? "" : "s"}`;
all("[data-script]").forEach((box) => (box.hidden = false));

// Proofs, checked in a worker

// The data as the worker has read them: n, d, values and labels.
let data = null;

function check(proof, from, part, done) {
  const worker = new Worker(URL.createObjectURL(new Blob([$("checker").textContent, $("sha256").textContent])));
  worker.onmessage = (event) => { worker.terminate(); done(event.data); };
  worker.onerror = () => done({error: "did not run"});
  worker.postMessage({proof, data: from, part, decode: !data});
}

function say(box, {valid, ms, did, error, sha256, ...proven}, brief) {
  const more = brief ? "" : `: ${did}; so ${statement(proven)}; the SHA-256 of the data, ${sha256?.slice(0, 12)}…, agrees`;
  const done = `✓ Proof checked in this browser, ${Math.ceil(ms)} ms, integers only${more}.`;
  box.className = valid ? "checked" : "broken";
  box.textContent = valid ? done : `✗ The check fails: ${error}.`;
}

// Return the root of p/q with 13 to 15 digits, rounded down or up.
function root([p, q], isUp) {
  const [m, n] = [p, q].map((x) => x.toString(16).length), e = 13 - Math.floor((m - n) * 0.602);
  const [a, b] = e < 0 ? [p, q * 10n ** BigInt(-2 * e)] : [p * 10n ** BigInt(2 * e), q];
  let s = 10n ** 17n, next = s;
  do [s, next] = [next, (next + a / b / next) / 2n]; while (next < s);
  if (isUp && s * s * b < a) s++;
  const x = Number(`${s}e${-e}`);
  if (!(x > 1e-300 && x < 1e300)) return `${s}e${-e}`;
  return x < 1e-4 ? x.toExponential() : String(x);
}

const VERDICTS = {overlap: "overlaps", "quasi-separable": "is quasi-separable", "margin-at-most": "is undecided",
  "not-strictly-separable": "is not linearly separable"};
const verdictOf = ({claim, bias}) => `${VERDICTS[claim] || "is linearly separable"}${bias ? "" : " through the origin"}`;

// Say what was proven, in numbers that the check itself has computed.
function statement({claim, lower, upper, strict, rows, ...more}) {
  if (/^margin/.test(claim)) {
    const ends = [lower && `at least ${root(lower)}`, upper && `at most ${root(upper, true)}`];
    return `the maximum margin is ${ends.filter(Boolean).join(" and ")}`;
  }
  const those = claim === "quasi-separable" ? `, in ${full(strict)} of ${count(rows, "row")}` : "";
  return `the question ${verdictOf({claim, ...more})}${those}`;
}

// Whether all that lies between the proven ends may be written so: as a number, its first digits and …, or an interval.
function isWritten(text, lower, upper) {
  const [, start = "", low = text, high = text, end = ""] = /^(?:in )?(.*)\[(.*), (.*)\](.*)$/.exec(text) || [];
  // Compare root(p/q) with a number, to which some halves of a unit of its last digit are added.
  const compare = ([p, q], shown, halves) => {
    const [, digits, more = "", power = ""] = NUMBER.exec(shown.replace(/^10(?=[⁻⁰¹²³⁴-⁹])/, "1×10"));
    const exponent = Number(power.replace("⁻", "-").replace(/[⁰-⁹¹²³]/g, (c) => "⁰¹²³⁴⁵⁶⁷⁸⁹".indexOf(c)));
    const n = 2n * BigInt(digits.replaceAll(",", "") + more) + halves, e = 2 * (exponent - more.length);
    const scale = 10n ** BigInt(Math.abs(e)), [a, b] = e < 0 ? [p * scale, q] : [p, q * scale];
    return n < 0n || 4n * a > n * n * b ? 1 : 4n * a < n * n * b ? -1 : 0;
  };
  try {
    const isCut = text.includes("…"), [least, most] = [start + low + end, start + high + end];
    const isBelow = high === "∞" || (upper && compare(upper, most, isCut ? 2n : 1n) <= 0);
    return Boolean(isBelow && lower && compare(lower, least, isCut ? 0n : -1n) >= 0);
  } catch {
    return false;  // it is not written as a number
  }
}
const NUMBER = /^([\d,]+)(?:\.(\d+))?…?(?:×10([⁻⁰¹²³⁴-⁹]+))?$/;

// Return where the first screen says something else than the check has proven.
function contradiction(proven) {
  const head = document.querySelector("h1").innerText.replace(/( \(quasi-complete separation\))?\.$/, "");
  if (!head.endsWith(` ${verdictOf(proven)}`)) return "the headline states another verdict";
  if (proven.claim === "quasi-separable") {  // whose lead names columns, which may be called anything
    const rows = `only ${full(proven.strict)} of ${count(proven.rows, "row")}`;
    if (!all(".lead .truth").some((box) => box.textContent === rows)) return `it separates ${rows}`;
  } else for (const box of all("header .lead, header text")) {
    const textContent = box.innerText ?? box.textContent.trim(), {tagName} = box;
    if (/the maximum margin is (?!0\))/.test(textContent)) return "there is no margin";
    if (tagName === "text" && (textContent === "γ* = 100 %" || !textContent.startsWith("γ* = "))) continue;
    for (const [, shown] of textContent.matchAll(/γ\*(?: = )?((?:in )?\S*\[[^\]]*\]\S*|\S*)/g)) {
      const margin = shown.replace(/[,.]+$/, "");
      if (!isWritten(margin, proven.lower, proven.upper)) return `it does not prove the margin ${margin}`;
    }
  }
  return otherHash(proven);
}

function otherHash(proven) {
  const isStated = (box) => box.innerText.includes(proven.sha256.slice(0, 12));
  if (proven.sha256 === page.copies.sha256 && all('[data-copy="sha256"]').every(isStated)) return "";
  return "another hash is stated";
}

// Check all proofs, the last of them altered if it is to be broken.
function checkAll(isBroken) {
  let worst, left = page.proofs.length;
  const answers = [];
  page.proofs.forEach(({proof, part, box}, k) => {
    const text = $(proof).textContent, isAltered = isBroken && !page.proofs[k + 1];
    check(isAltered ? altered(text) : text, source, part, (answer) => {
      if (isAltered) answer.error = `one digit changed: ${answer.error}`;
      else if (answer.valid) answer.error = box === "check-full" ? contradiction(answer) : contradictionOfOne(answer, box, part);
      answer.valid &&= !answer.error;
      if (!answer.valid) worst = answer;
      else if (run && !data) { data = answer.decoded; replay(); }
      say($(box), answer);
      answers.push({part, ...answer});
      const error = left === 1 && !worst && box !== "check-full" && miscount(answers);
      if (error) worst = {error};
      if (!--left) say($("check"), worst || answer, true);
    });
  });
}

// Change the first digit of the longest number of the direction, or of the weights where the proof is not of a margin.
function altered(text) {
  const from = text.indexOf(/margin_|"separable/.test(text) ? '"direction"' : '"weights"');
  const numbers = [...text.slice(from, text.indexOf("]", from)).matchAll(/\d+/g)];
  const at = from + numbers.reduce((a, b) => (b[0].length > a[0].length ? b : a)).index, digit = (+text[at] + 4) % 9 + 1;
  return text.slice(0, at) + digit + text.slice(at + 1);
}

if (source) checkAll();
on("#break", "click", () => checkAll(true));
on("#mend", "click", () => checkAll());
on("#drop-file", "change", async ({target}) => {
  source = {format: "binary", bytes: await target.files[0].arrayBuffer()};
  checkAll();
});
on("[data-save]", "click", ({target}) => {
  const href = URL.createObjectURL(new Blob([$(target.dataset.save).textContent]));
  Object.assign(document.createElement("a"), {href, download: "proof.json"}).click();
});

// Tables

on("[data-copy]", "click", async ({target}) => {
  const [key, form] = target.dataset.copy.split("/"), name = target.textContent;
  const text = form ? page.tables[key][form] : page.copies[key];
  await (navigator.clipboard?.writeText(text) ?? prompt("", text));  // it asks where the page did not come by https
  target.textContent = "copied";
  setTimeout(() => (target.textContent = name), 1200);
});
on("[data-sort]", "click", ({target}) => {
  const isDown = target.getAttribute("aria-pressed") !== "true", table = target.closest("table");
  const values = target.dataset.sort.split(" ").map((t) => (t === "-" ? -Infinity : isDown ? +t : -t));
  for (const box of all("[data-sort]")) box.setAttribute("aria-pressed", isDown && box === target);
  const order = [...values.keys()].sort((a, b) => values[b] - values[a]);
  for (const line of table.rows) {
    const cells = [...line.cells].slice(1).sort((a, b) => a.dataset.column - b.dataset.column);
    line.append(...order.map((k) => cells[k]));
  }
});

// The views of the rows: a row lights up in all of them

const groups = all("#rows-points, #distances-perceptron, #distances-truth");
const dots = (group) => [...group.innerHTML.matchAll(/M(-?[\d.]+) (-?[\d.]+)h/g)].map((m) => [+m[1], +m[2]]);
let lit = -1;

function light(k) {
  const row = view.rows[k], isUp = k >= view.n_negative;
  for (const group of groups) {
    const [x, y] = dots(group)[k];
    group.nextElementSibling.setAttribute("d", `M${x - 9} ${y}a9 9 0 1 0 18 0a9 9 0 1 0 -18 0`);
  }
  const texts = [`row ${view.names?.[k] ?? row}`, view.classes[+isUp]];
  for (const {name, w, b} of data ? view.strips : []) {
    const score = w.reduce((sum, value, j) => sum + value * data.values[row * data.d + j], b);
    texts.push(`${name}: ${((isUp ? score : -score) / view.divisor).toPrecision(3)} ${view.unit}`);
  }
  if (view.mistaken[row]) texts.push(`mistaken ${count(view.mistaken[row], "time")}`);
  if (view.multipliers[row]) texts.push(`multiplier ${view.multipliers[row]}`);
  $("row-said").textContent = texts.join(" · ");
  lit = k;
}

for (const group of groups) for (const kind of ["pointermove", "pointerdown"]) group.closest("svg").addEventListener(kind, ({clientX, clientY}) => {
  const {x, y} = new DOMPoint(clientX, clientY).matrixTransform(group.getScreenCTM().inverse());
  const far = dots(group).map(([u, v]) => Math.hypot(u - x, v - y)), least = Math.min(...far);
  if (least < 16) light(far.indexOf(least));
});
on("#views", "keydown", (event) => {
  const step = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[event.key];
  if (!step) return;
  event.preventDefault();
  light((lit + step + view.rows.length) % view.rows.length);
});

// Only what scrolls takes the focus, so that keys scroll it

const refocus = () => {
  for (const box of all(".scroll")) box.tabIndex = box.scrollWidth > box.clientWidth + 1 ? 0 : -1;
};
addEventListener("resize", refocus);
addEventListener("beforeprint", () => all("details.printed").forEach((box) => (box.open = true)));
on("details", "toggle", refocus);
refocus();
