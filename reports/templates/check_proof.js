// Checks a proof in a Web Worker as checker.py does, which says why that is enough; how the data were read is ignored.
// Takes {proof, data, part}; answers {valid, claim, bias, rows, strict, lower, upper, sha256, did, error, ms}: lower and
// upper are the proven bounds of the squared margin as [p, q] for p/q, strict is the number of rows with z.v > 0.
const NAMES = {d: "direction", r: "rows", w: "weights", n: "null_space", m: "margin_squared", u: "upper_squared"};
// The fields of each claim, by their first letters.
const FIELDS = {"separable": "d", "not-strictly-separable": "rw", "overlap": "rwn", "quasi-separable": "drwn",
  "margin-at-least": "dm", "margin-at-most": "rwm", "margin-exactly": "drwm", "margin-between": "drwmu"};
// The types of the fields of data: text, integer, number, truth value, list of, or texts by name; those that say how the
// data were read may be null or absent.
const DATA = {sha256: "t", n_samples: "i", n_features: "i", bias: "b", reading: "t"};
const READING = {source: "t", label: "ti", positive: "tnb", drop: "[ti", id: "ti", one_hot: "b", one_hot_columns: "[ti",
  drop_missing: "b", sep: "t", decimal_comma: "b", header: "b", missing: "[t", format: "t", formula: "t", classes: "[t",
  values: "[[t", coded: "{[t", rules: "i", weights: "t", trials: "t", strata: "t", status: "t", entry: "t", ties: "t"};
// Questions about a likelihood, and the numbers of a response: of cox the time, the status, the entry and the stratum.
const RESPONSES = {binomial: 2, poisson: 1, ordinal: 1, conditional: 2, cox: 4}, TIES = ["breslow", "efron", "exact-discrete"];
const isOf = (names, question) => names.split(" ").includes(question);
const MOST_LEVELS = 100;
const FOREIGN = "these are not the data of the proof";
const need = (isTrue, otherwise) => { if (!isTrue) throw Error(otherwise); };
const size = (numbers) => numbers.reduce((a, b) => (b > a ? b : -b > a ? -b : a), 0n);

function dot(u, v) {
  let sum = 0n;
  for (let j = 0; j < u.length; j++) sum += u[j] * v[j];
  return sum;
}

const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

function hasType(value, type) {
  if (/[[{]/.test(type[0])) {
    const isRight = type[0] === "[" ? Array.isArray(value) : isObject(value);
    return isRight && Object.values(value).every((entry) => hasType(entry, type.slice(1)));
  }
  const is = {t: typeof value === "string", b: typeof value === "boolean", n: Number.isFinite(value)};
  return [...type].some((kind) => is[kind] || (kind === "i" && Number.isInteger(value)));
}

// Parse JSON, after an optional byte order mark; JSON.parse would take the last of two equal keys.
function parsed(text) {
  const value = JSON.parse(text.replace(/^\ufeff/, ""));
  const countKeys = (node, level) => {
    need(level <= MOST_LEVELS, `it is nested more than ${MOST_LEVELS} levels deep`);
    if (node === null || typeof node !== "object") return 0;
    const found = Object.values(node).reduce((sum, entry) => sum + countKeys(entry, level + 1), 0);
    return found + (Array.isArray(node) ? 0 : Object.keys(node).length);
  };
  const n_keys = (text.match(/"(?:[^"\\]|\\.)*"\s*:/g) || []).length;
  need(countKeys(value, 0) === n_keys, "a key occurs twice in one object");
  return value;
}

// Return which fields the proof has; they are checked where they are used.
function validate(proof) {
  need(isObject(proof) && proof.format === "maxmargin-proof", "not a proof of format maxmargin-proof");
  const {version, claim, question, data} = proof, isLikelihood = Object.hasOwn(RESPONSES, question);
  need(version === 1, "the version is unknown");
  need(Object.keys(FIELDS).includes(claim), "the claim is unknown");
  const isKnown = isLikelihood || question === "multinomial";
  need(question === "two-class" || (isKnown && !/margin/.test(claim)), "no such question");
  const names = [..."format version claim question data".split(" "), ...[...FIELDS[claim]].map((field) => NAMES[field])];
  const isComplete = names.every((name) => Object.hasOwn(proof, name)) && Object.keys(proof).length === names.length;
  need(isComplete, `${claim}: expected the fields ${names.join(", ")}`);
  need(!names.includes("null_space") || hasType(proof.null_space, "[[t"), "null_space has a wrong type");
  const isWhole = isObject(data) && Object.keys(DATA).every((name) => Object.hasOwn(data, name));
  const areKnown = isWhole && Object.keys(data).every((name) => Object.hasOwn(DATA, name) || Object.hasOwn(READING, name));
  need(areKnown, "data: missing or superfluous field");
  for (const [name, value] of Object.entries(data)) {
    const isRight = name in DATA ? hasType(value, DATA[name]) : value === null || hasType(value, READING[name]);
    need(isRight, `data: ${name} has a wrong type`);
  }
  need(data.n_samples > 0 && data.n_features >= 0, "data: no such number of rows or columns");
  const hasSign = isOf("two-class conditional", question), hasBias = !isOf("ordinal conditional cox", question);
  need(hasSign || (data.positive ?? null) === null, `data: a question of ${question} has no positive class`);
  need(hasBias || !data.bias, `data: a question of ${question} has no bias`);
  need((question === "cox") === TIES.includes(data.ties), "data: ties are for cox");
  need(question !== "ordinal" || (data.classes ?? null) !== null, "data: the classes are not stated in their order");
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
  need(typeof text === "string", "squared margin: not a text");
  const [p, q] = integers(/\//.test(text) ? text.split("/") : [text, "1"], 2, "squared margin");
  need(p > 0n && q > 0n, "squared margin: not positive");
  return [p, q];
}

const number = (t) => (/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(t) ? Number(t) : NaN);

// The numbers row by row with their labels, or lists of so many numbers, from lines of decimals or the hashed bytes.
function decoded({format, text, bytes}, width) {
  if (format === "decimal") {
    const rows = text.split("\n").map((line) => line.split(",").map(number)), labels = rows.map((row) => row.pop());
    return {n: labels.length, d: rows[0].length, values: Float64Array.from(rows.flat()), labels};
  }
  const all = format === "base64" ? Uint8Array.from(atob(text), (c) => c.charCodeAt()) : new Uint8Array(bytes);
  const [head] = /^\d+ \d+( [a-z -]+)?\n|/.exec(String.fromCharCode(...all.slice(0, 60))), [n, d] = head.split(" ").map(Number);
  const end = head.length + 8 * n * d, values = new Float64Array(all.slice(head.length, end).buffer);
  if (width) {
    const numbers = [...new Float64Array(all.slice(end).buffer)];
    return {n, d, values, labels: Array.from({length: n}, (_, i) => numbers.slice(i * width, i * width + width))};
  }
  const labels = Array.from(new (all.length - end > n ? Int32Array : Int8Array)(all.slice(end).buffer));
  return {n: labels.length, d, values, labels};
}

// Of the classes that a page names, the positive one becomes +1 and the others -1.
function selected({d, values, labels}, {positive, negative}) {
  const isKept = labels.map((label) => [positive, ...negative].includes(label));
  const signs = labels.filter((_, i) => isKept[i]).map((label) => (label === positive ? 1 : -1));
  return {n: signs.length, d, values: values.filter((_, k) => isKept[Math.floor(k / d)]), labels: signs};
}

// Return the number of classes of the data, which must be those of the proof.
async function checkData({n_samples, n_features, sha256, ties}, {n, d, values, labels}, question, answer) {
  need(n === n_samples && values.length === n * d, `${FOREIGN}: ${n} rows, not ${n_samples}`);
  const isBinary = question === "two-class", isLikelihood = Object.hasOwn(RESPONSES, question);
  const K = new Set(labels).size, all = new Set([...labels, ...(isBinary ? [-1, 1] : Array(K).keys())]).size;
  if (isLikelihood) checkResponses(question, labels);
  else need(K > 1 && all === K, "the labels do not fit the question");
  const bad = d === n_features ? values.findIndex((x) => !Number.isFinite(x)) : 0;
  need(bad < 0, `${FOREIGN}: row ${Math.floor(bad / d)} is not ${n_features} finite numbers`);
  // -0 becomes 0, as in the hash.
  const numbers = values.map((x) => x + 0);
  const head = [n, d, ...(isLikelihood ? [question] : []), ...(question === "cox" ? [ties] : [])].join(" ");
  const kind = isLikelihood ? Float64Array : isBinary ? Int8Array : Int32Array;
  const bytes = new Blob([`${head}\n`, numbers, kind.from(labels.flat(), (x) => x + 0)]).arrayBuffer();
  if (globalThis.crypto?.subtle) {
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", await bytes));
    answer.sha256 = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
  } else answer.sha256 = ownSha256(await bytes);
  need(answer.sha256 === sha256, `${FOREIGN}: other values, other labels, or another order`);
  return isLikelihood ? 2 : K;
}

// The inequalities of a likelihood, as checker.py numbers them

function checkResponses(question, responses) {
  responses.forEach((response, i) => {
    const [y, a, b] = response, are = response.every((x, j) => Number.isFinite(x) || (x === -Infinity && j === 2));
    const isRight = {
      binomial: y >= 0 && y <= a, poisson: y >= 0, ordinal: y >= 0, conditional: Math.abs(y) === 1,
      cox: (a === 0 || a === 1) && b < y,
    }[question];
    need(response.length === RESPONSES[question] && are && isRight, `row ${i}: the response is none of a ${question} question`);
  });
  const codes = new Set(responses.map(([y]) => y)), K = Math.max(codes.size, 2);
  const areCodes = new Set([...codes, ...Array(K).keys()]).size === codes.size;
  need(question !== "ordinal" || areCodes, "the labels do not fit the question");
}

// [i, s, k] for each inequality: z = x_i - x_k, or z = s (x_i, 1), or of ordered classes z = s (x_i, -e_k).
function comparisons(question, responses, ties) {
  if (isOf("conditional cox", question)) {
    const strata = new Map();
    responses.forEach((response, i) => {
      const stratum = response.at(-1);
      strata.set(stratum, [...(strata.get(stratum) || []), i]);
    });
    return [...strata.values()].flatMap((rows) => {
      const cases = rows.filter((i) => responses[i][0] > 0), controls = rows.filter((k) => responses[k][0] < 0);
      const pairs = question === "cox" ? chain(rows, responses, ties) : product(cases, controls);
      return pairs.map(([i, k]) => [i, 1, k]);
    });
  }
  const isOrdinal = question === "ordinal", greatest = isOrdinal ? Math.max(...responses.map(([y]) => y)) : Infinity;
  return responses.flatMap(([y, trials = greatest], i) => [
    ...(y > 0 ? [[i, 1, isOrdinal ? y - 1 : 0]] : []), ...(y < trials ? [[i, -1, isOrdinal ? y : 0]] : []),
  ]);
}

const product = (first, second) => first.flatMap((i) => second.map((k) => [i, k]));

function chain(rows, responses, ties) {
  const time = (i) => responses[i][0], happens = (i) => responses[i][1] === 1, isExact = ties === TIES[2];
  if (rows.some((k) => responses[k][2] > -Infinity)) {
    const isCompared = (i, k) => k !== i && responses[k][2] < time(i) && time(i) <= time(k) &&
      !(isExact && happens(k) && time(k) === time(i));
    return product(rows.filter(happens), rows).filter(([i, k]) => isCompared(i, k));
  }
  const found = [], times = [...new Set(rows.map(time))].sort((a, b) => b - a);
  let between = [], heirs = [];
  for (const t of times) {
    const now = rows.filter((i) => time(i) === t), events = now.filter(happens);
    between = [...between, ...now.filter((i) => !happens(i))];
    if (!events.length) continue;
    if (isExact) found.push(...product(events, [...between, ...heirs]));
    else {
      found.push(...product(events.slice(0, 1), [...events.slice(1), ...between, ...heirs.slice(0, 1)]));
      found.push(...product(events.slice(1), events.slice(0, 1)));
    }
    [between, heirs] = [[], events];
  }
  return found;
}

// The function that returns an inequality as integers 2^shift z, and how many there are.
function inequalities({question, data: {bias, ties}}, {d, values, labels}) {
  const found = comparisons(question, labels, ties), x = (i) => values.subarray(i * d, i * d + d);
  const n_thresholds = question === "ordinal" ? Math.max(...labels.map(([y]) => y)) : 0;
  const vector = ([i, sign, k]) => {
    if (isOf("conditional cox", question)) {
      const {X, shift} = scaled(Float64Array.of(...x(i), ...x(k)), false);
      return {X: X.slice(0, d).map((a, j) => a - X[d + j]), code: 1, shift};
    }
    const {X, shift} = scaled(x(i).slice(), bias), one = 1n << shift, s = BigInt(sign);
    const tail = Array.from({length: n_thresholds}, (_, t) => (t === k ? -one : 0n));
    return {X: [...X, ...tail].map((a) => s * a), code: 1, shift};
  };
  return {row: (i) => vector(found[i]), n: found.length, m: d + bias + n_thresholds};
}

// A row as integers X = 2^shift (x, 1): x / 2^e is one, e from the bits of x, and the quotient exact.
function scaled(row, bias) {
  const words = new Uint32Array(row.buffer, row.byteOffset, 2 * row.length), E = [], X = [];
  let low = 0;
  for (let j = 0; j < row.length; j++) {
    E.push(Number.isInteger(row[j]) ? 0 : Math.max(words[2 * j + 1] >> 20 & 2047, 1) - 1075);
    if (E[j] < low) low = E[j];
  }
  const unit = 2 ** low;
  for (let j = 0; j < row.length; j++) {
    const x = row[j], e = E[j], isNear = e - low < 900 && Math.abs(x) < 2 ** 60;
    X.push(isNear ? BigInt(x / unit) : BigInt(x / 2 ** e) << BigInt(e - low));
  }
  if (bias) X.push(1n << BigInt(-low));
  return {X, shift: BigInt(-low)};
}

// The vector z of a row and a class k, times 2^shift.
function vectorOf({X, code}, k, m) {
  const z = Array(m).fill(0n), w = X.length;
  if (code) z.splice((code - 1) * w, w, ...X);
  if (k) z.splice((k - 1) * w, w, ...X.map((x) => -x));
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

// Check the sign of each z.v, and the basis where z.v = 0; return the least z.v, its row, and how many rows have z.v > 0.
function checkRows(n, K, row, v, basis, sign, isQuasi) {
  const m = v.length, largest = BigInt(m) * size(basis.flat()), packs = {}, classes = [...Array(K).keys()];
  const blocks = classes.slice(1).map((k) => v.slice((k - 1) * m / (K - 1), k * m / (K - 1)));
  let best, greatest = 0n, strict = 0;
  for (let i = 0; i < n; i++) {
    const {X, code, shift} = row(i), scores = [0n, ...blocks.map((w) => dot(X, w))];
    const others = classes.filter((k) => k !== code), values = others.map((k) => scores[code] - scores[k]);
    const low = values.reduce((a, b) => (b < a ? b : a));
    need(low > 0n || (low === 0n && sign === ">="), `row ${i}: z.v ${sign} 0 is false`);
    greatest = size([greatest, ...values]);
    strict += low > 0n;
    if (!best || low << best.shift < best.low << shift) best = {low, shift, i};
    if (low || !basis.length) continue;
    // The product with the sum of all 2^(bits l) u_l is 0 only if each is, for all are below 2^bits.
    // The number of bits is rounded up, so that few packs are made.
    const bits = 1 << (34 - Math.clz32((largest * size(X)).toString(16).length));
    packs[bits] ||= v.map((_, j) => basis.reduce((sum, u, l) => sum + (u[j] << BigInt(bits * l)), 0n));
    const isZero = others.every((k, s) => values[s] || !dot(vectorOf({X, code}, k, m), packs[bits]));
    need(isZero, `row ${i}: z.u = 0 for all u of null_space is false`);
  }
  need(greatest || !isQuasi, "z.v > 0 for at least one z is false");
  return {...best, strict};
}

function checkLowerMargin(text, w, {low, shift, i}) {
  const [p, q] = quotient(text);
  need(low * low * q >= p * dot(w, w) << 2n * shift, `row ${i}: (z.v)^2 >= q ||w||^2 is false`);
  return [p, q];
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
  return [p, q];
}

// Whether the rank modulo a prime, which never exceeds the rank, is at least so large.
function hasRank(matrix, prime, enough) {
  // Pivots by the index of their last entry, which is not 0
  const pivots = {};
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
  const proof = parsed(asked.proof), has = validate(proof), {question} = proof, did = [];
  const whole = decoded(asked.data, RESPONSES[question]), data = asked.part ? selected(whole, asked.part) : whole;
  if (asked.decode) answer.decoded = whole;
  const {d, values, labels} = data, {bias} = proof.data, isBinary = question !== "multinomial";
  const K = await checkData(proof.data, data, question, answer);
  const ofRow = (i) => ({...scaled(values.subarray(i * d, i * d + d), bias), code: Math.max(labels[i], 0)});
  const ofRows = {row: ofRow, n: data.n, m: (K - 1) * (d + bias)};
  const {row, n, m} = Object.hasOwn(RESPONSES, question) ? inequalities(proof, data) : ofRows;
  const codes = Object.hasOwn(RESPONSES, question) ? Array(n).fill(1) : labels.map((label) => Math.max(label, 0));
  const v = has("d") ? integers(proof.direction, m, "direction") : Array(m).fill(0n);
  const vectors = has("n") ? proof.null_space : [];
  need(vectors.length <= m, "null_space: more vectors than a vector has entries");
  const basis = vectors.map((u) => integers(u, m, "null_space"));
  const pairs = has("r") ? pairsOf(proof.rows, codes, K, isBinary) : [];
  const a = has("w") ? integers(proof.weights, pairs.length, "weights") : [];
  need(a.every((weight) => weight > 0n), "weights: not positive");
  const sign = has("d") && !has("n") ? ">" : ">=";
  const isNeeded = has("d") || basis.length;
  const best = isNeeded ? checkRows(n, K, row, v, basis, sign, has("d") && has("n")) : {};
  if (has("d")) did.push(`${n} rows x ${m} products, all ${sign} 0`);
  const S = pairs.map(([i, k]) => ({...row(i), z: vectorOf(row(i), k, m)})), copies = proof.data.values || [];
  need([0, S.length].includes(copies.length), "data: values are not one list for each of the rows");
  copies.forEach((texts, s) => {
    const i = pairs[s][0], numbers = [labels[i], ...values.subarray(i * d, i * d + d)];
    need(String(texts.map(number)) === String(numbers), `row ${i} is not in values`);
  });
  if (has("d") && has("m")) {
    answer.lower = checkLowerMargin(proof.margin_squared, v.slice(0, d), best);
    did.push(`row ${best.i} confirms the lower bound of the margin`);
  }
  if (has("w") && has("m")) {
    answer.upper = checkUpperMargin(has("u") ? proof.upper_squared : proof.margin_squared, a, S, bias);
    did.push(`${a.length} weights > 0 confirm the upper bound`);
  } else if (has("w")) {
    need(!size(weightedSum(a, S)[0]), "the weights do not balance: sum a z = 0 is false");
    did.push(`${a.length} weights > 0 balance`);
  }
  if (has("n")) {
    checkRanks(basis, S, m);
    did.push(`rank ${m - basis.length} + ${basis.length} independent vectors = ${m}`);
  }
  Object.assign(answer, {claim: proof.claim, bias, rows: n, strict: best.strict ?? 0, did: did.join("; ")});
}

onmessage = async ({data}) => {
  const answer = {valid: false, error: null}, start = performance.now();
  await check(data, answer).then(() => (answer.valid = true), (error) => (answer.error = error.message));
  postMessage({...answer, ms: performance.now() - start});
};
