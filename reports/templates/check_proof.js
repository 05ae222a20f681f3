// Checks a proof in a Web Worker as checker.py does, which says why that is enough; how the data were read is ignored.
// Takes {proof, data, part}; answers {valid, claim, did, error, hashed, milliseconds}.
// The fields of each claim: direction, rows, weights, null_space, margin_squared, upper_squared.
const FIELDS = {"separable": "d", "not-strictly-separable": "rw", "overlap": "rwn", "quasi-separable": "drwn",
  "margin-at-least": "dm", "margin-at-most": "rwm", "margin-exactly": "drwm", "margin-between": "drwmu"};
const FOREIGN = "these are not the data of the proof";
const need = (isTrue, otherwise) => { if (!isTrue) throw Error(otherwise); };
const size = (numbers) => numbers.reduce((a, b) => (b > a ? b : -b > a ? -b : a), 0n);

function dot(u, v) {
  let sum = 0n;
  for (let j = 0; j < u.length; j++) if (u[j]) sum += u[j] * v[j];
  return sum;
}

// Return which fields the proof has; they are checked where they are used.
function validate({format, version, claim, question, data, ...rest}) {
  need(format === "maxmargin-proof" && version === 1, "not a proof of format maxmargin-proof, version 1");
  need(Object.keys(FIELDS).includes(claim), "the claim is unknown");
  const isKnown = question === "two-class" || (question === "multinomial" && !/margin/.test(claim));
  need(isKnown, "no such question or claim");
  need(Object.keys(rest).length === FIELDS[claim].length, `${claim}: missing or superfluous field`);
  need(typeof data.bias === "boolean", "data: bias has a wrong type");
  need(data.reading === "binary64", "data: the reading is not binary64: use maxmargin verify");
  return (field) => FIELDS[claim].includes(field);
}

function integers(texts, length, what) {
  const isInteger = (t) => typeof t === "string" && /^(0|-?[1-9]\d{0,4299}|-?0x[\da-f]{1,1000000})$/.test(t);
  need(Array.isArray(texts) && texts.length === length, `${what}: not a list of length ${length}`);
  need(texts.every(isInteger), `${what}: not all are integers as texts`);
  return texts.map((t) => (t[0] === "-" ? -BigInt(t.slice(1)) : BigInt(t)));
}

// p > 0 and q > 0 of "p/q", or "p" for "p/1".
function quotient(text) {
  const [p, q] = integers(/\//.test(text) ? text.split("/") : [text, "1"], 2, "squared margin");
  need(p > 0n && q > 0n, "squared margin: not positive");
  return [p, q];
}

// Rows that end in their labels, from lines of decimals or from the bytes that are hashed.
function decoded({format, text, bytes}) {
  const number = (t) => (/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(t) ? Number(t) : NaN);
  if (format === "decimal") return text.split("\n").map((line) => line.split(",").map(number));
  const all = format === "base64" ? Uint8Array.from(atob(text), (c) => c.charCodeAt()) : new Uint8Array(bytes);
  const [head, n, d] = /^(\d+) (\d+)\n|/.exec(String.fromCharCode(...all.slice(0, 50)));
  const end = head.length + 8 * n * d, numbers = new Float64Array(all.slice(head.length, end).buffer);
  const labels = new (all.length - end > n ? Int32Array : Int8Array)(all.slice(end).buffer);
  return Array.from(labels, (label, i) => [...numbers.slice(i * d, i * d + +d), label]);
}

// The rows and labels; of the classes that a page names, the positive one becomes +1 and the others -1.
function selected(rows, part) {
  const labels = rows.map((row) => row.pop());
  if (!part) return [rows, labels];
  const kept = [...labels.keys()].filter((i) => [part.positive, ...part.negative].includes(labels[i]));
  return [kept.map((i) => rows[i]), kept.map((i) => (labels[i] === part.positive ? 1 : -1))];
}

// Return the number of classes of the data, which must be those of the proof.
async function checkData({n_samples: n, n_features: d, sha256}, rows, labels, isBinary, answer) {
  need(rows.length === n, `${FOREIGN}: ${rows.length} rows, not ${n}`);
  const K = new Set(labels).size, all = new Set([...labels, ...(isBinary ? [-1, 1] : Array(K).keys())]);
  need(K > 1 && all.size === K, "the labels do not fit the question");
  const isRow = (row) => row.length === d && row.every(Number.isFinite);
  rows.forEach((row, i) => need(isRow(row), `${FOREIGN}: row ${i} is not ${d} finite numbers`));
  if (!globalThis.crypto?.subtle) return K;
  const numbers = Float64Array.from(rows.flat(), (x) => x + 0); // -0 becomes 0
  const bytes = new Blob([`${n} ${d}\n`, numbers, (isBinary ? Int8Array : Int32Array).from(labels)]).arrayBuffer();
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", await bytes));
  answer.hashed = true;
  const hash = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
  need(hash === sha256, `${FOREIGN}: other values, other labels, or another order`);
  return K;
}

// A row as integers X = 2^shift (x, 1). The bits of a double hold the integer m and the exponent e of m 2^e.
function scaled(row, bias) {
  const view = new DataView(Float64Array.from(row).buffer);
  const parts = row.concat(bias ? 1 : []).map((x, j) => {
    if (Number.isInteger(x)) return [BigInt(x), 0];
    const e = view.getUint16(8 * j + 6, true) >> 4 & 2047;
    const m = BigInt.asUintN(52, view.getBigUint64(8 * j, true)) + (e ? 1n << 52n : 0n);
    return [x < 0 ? -m : m, Math.max(e, 1) - 1075];
  });
  const least = parts.reduce((low, [, e]) => Math.min(low, e), 0);
  return {X: parts.map(([m, e]) => (e > least ? m << BigInt(e - least) : m)), shift: BigInt(-least)};
}

// The vector z of a row and a class k, times 2^shift.
function vectorOf({X, code}, k, m) {
  const z = Array(m).fill(0n), w = X.length;
  for (let j = 0; j < w; j++) {
    if (code) z[(code - 1) * w + j] = X[j];
    if (k) z[(k - 1) * w + j] = -X[j];
  }
  return z;
}

// Row i and class k of each inequality of S; of two classes, k is the one that is not the row's.
function pairsOf(rows, codes, K, isBinary) {
  need(Array.isArray(rows) && rows.length, "rows: there is none");
  const pairs = rows.map((entry) => {
    need(isBinary || entry?.length === 2, "rows: one is not a pair of a row and a class");
    const [i, k] = isBinary ? [entry, 1 - codes[entry]] : entry;
    need(Number.isInteger(i) && i in codes, "rows: one is not a row of the data");
    need(Number.isInteger(k) && k >= 0 && k < K && k !== codes[i], "rows: one is not compared with another class");
    return [i, k];
  });
  need(new Set(pairs.map(String)).size === pairs.length, "rows: one occurs twice");
  return pairs;
}

// Check the sign of each z.v, and the basis where z.v = 0; return the least z.v, and its row.
function checkRows(n, K, row, v, basis, sign, isQuasi) {
  const m = v.length, largest = BigInt(m) * size(basis.flat()), packs = {};
  let best, greatest = 0n;
  for (let i = 0; i < n; i++) {
    const {X, code, shift} = row(i), others = [...Array(K).keys()].filter((k) => k !== code);
    const zs = others.map((k) => vectorOf({X, code}, k, m)), values = zs.map((z) => dot(z, v));
    const low = values.reduce((a, b) => (b < a ? b : a));
    need(low > 0n || (low === 0n && sign === ">="), `row ${i}: z.v ${sign} 0 is false`);
    greatest = size([greatest, ...values]);
    if (!best || low << best.shift < best.low << shift) best = {low, shift, i};
    if (low || !basis.length) continue;
    // The product with the sum of all 2^(bits l) u_l is 0 only if each is, for all are below 2^bits.
    const bits = 1 << (34 - Math.clz32((largest * size(X)).toString(16).length)); // rounded up: few packs are made
    packs[bits] = packs[bits] || v.map((_, j) => basis.reduce((sum, u, l) => sum + (u[j] << BigInt(bits * l)), 0n));
    const isZero = zs.every((z, s) => values[s] || !dot(z, packs[bits]));
    need(isZero, `row ${i}: z.u = 0 for all u of null_space is false`);
  }
  need(greatest || !isQuasi, "z.v > 0 for at least one z is false");
  return best;
}

function checkLowerMargin(text, w, {low, shift, i}) {
  const [p, q] = quotient(text);
  need(low * low * q >= p * dot(w, w) << 2n * shift, `row ${i}: (z.v)^2 >= q ||w||^2 is false`);
}

// The sum of all a z, times 2^shift, and the shift.
function weightedSum(a, S) {
  const shift = size(S.map((s) => s.shift)), b = S.map((s, j) => a[j] << shift - s.shift);
  return [S[0].z.map((_, j) => dot(b, S.map(({z}) => z[j]))), shift];
}

function checkUpperMargin(text, a, S, bias) {
  const [p, q] = quotient(text), sums = [0, 1].map((code) => dot(a, S.map((s) => BigInt(s.code === code))));
  need(!bias || (sums[0] && sums[1]), "weights: a class has none");
  const b = bias ? a.map((weight, j) => weight * sums[1 - S[j].code]) : a, [z, shift] = weightedSum(b, S);
  const total = b.reduce((sum, weight) => sum + weight) << shift;
  need(q * dot(z, z) <= p * total * total, "||sum a z / sum a||^2 <= q is false");
}

// Whether the rank modulo a prime, which never exceeds the rank, is at least so large.
function hasRank(matrix, prime, enough) {
  const pivots = {}; // by the index of their last entry, which is not 0
  for (let row of matrix) {
    row = row.map((x) => x % prime);
    while (enough && row.length) {
      const last = row.pop(), at = row.length, pivot = pivots[at];
      if (last && !pivot) {
        pivots[at] = [...row, last];
        enough--;
        break;
      }
      if (last) row = row.map((x, j) => (x * pivot[at] - last * pivot[j]) % prime);
    }
  }
  return !enough;
}

// The basis must be one of all vectors that are 0 on S: it is independent, and rank S + |N| = m.
function checkRanks(basis, S, m) {
  const first = S.slice(0, 2 * m).map(({z}) => z), n = basis.length;
  const isBasis = (prime) => hasRank(basis, prime, n) && hasRank(first, prime, m - n);
  const isShown = [2n ** 61n - 1n, 2n ** 255n - 19n, 2n ** 521n - 1n].some(isBasis);
  need(isShown, "null_space is not shown to be a basis: its rank or that of S is too small");
}

async function check(asked, answer) {
  const proof = JSON.parse(asked.proof), has = validate(proof), isBinary = proof.question === "two-class", did = [];
  answer.claim = proof.claim;
  const [rows, labels] = selected(decoded(asked.data), asked.part), {n_features: d, bias} = proof.data;
  if (asked.decode) answer.decoded = {n: rows.length, d, values: Float64Array.from(rows.flat()), labels};
  const K = await checkData(proof.data, rows, labels, isBinary, answer), m = (K - 1) * (d + bias);
  const codes = labels.map((label) => Math.max(label, 0));
  const v = has("d") ? integers(proof.direction, m, "direction") : Array(m).fill(0n);
  const vectors = has("n") ? proof.null_space : [];
  need(vectors.length <= m, "null_space: more vectors than a vector has entries");
  const basis = vectors.map((u) => integers(u, m, "null_space"));
  const pairs = has("r") ? pairsOf(proof.rows, codes, K, isBinary) : [];
  const a = has("w") ? integers(proof.weights, pairs.length, "weights") : [];
  need(a.every((weight) => weight > 0n), "weights: not positive");
  const row = (i) => ({...scaled(rows[i], bias), code: codes[i]}), sign = has("d") && !has("n") ? ">" : ">=";
  const isNeeded = has("d") || basis.length;
  const best = isNeeded && checkRows(rows.length, K, row, v, basis, sign, has("d") && has("n"));
  if (has("d")) did.push(`${rows.length} rows x ${m} products, all ${sign} 0`);
  const S = pairs.map(([i, k]) => ({...row(i), z: vectorOf(row(i), k, m)}));
  if (has("d") && has("m")) {
    checkLowerMargin(proof.margin_squared, v.slice(0, d), best);
    did.push(`the least, of row ${best.i}, confirms the lower bound of the margin`);
  }
  if (has("w") && has("m")) {
    checkUpperMargin(has("u") ? proof.upper_squared : proof.margin_squared, a, S, bias);
    did.push(`${a.length} weights > 0 confirm the upper bound`);
  } else if (has("w")) {
    need(!size(weightedSum(a, S)[0]), "the weights do not balance: sum a z = 0 is false");
    did.push(`${a.length} weights > 0 balance`);
  }
  if (has("n")) {
    checkRanks(basis, S, m);
    did.push(`rank ${m - basis.length} + ${basis.length} independent vectors = ${m}`);
  }
  answer.did = did.join("; ");
}

onmessage = async ({data}) => {
  const answer = {valid: false, claim: null, did: "", error: null, hashed: false}, start = performance.now();
  await check(data, answer).then(() => (answer.valid = true), (error) => (answer.error = error.message));
  postMessage({...answer, milliseconds: performance.now() - start});
};
