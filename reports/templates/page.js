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
  const worker = new Worker(URL.createObjectURL(new Blob([$("checker").textContent])));
  worker.onmessage = (event) => { worker.terminate(); done(event.data); };
  worker.onerror = () => done({error: "did not run"});
  worker.postMessage({proof, data: from, part, decode: !data});
}

function say(box, {valid, ms, did, error, sha256, ...proven}, brief) {
  const more = brief ? "" : `: ${did}; so ${statement(proven)}${sha256 ? `; the SHA-256 of the data, ${sha256.slice(0, 12)}…, agrees` : ""}`;
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
    const none = !/^margin/.test(proven.claim) && /the maximum margin is ([^;)]*)/.exec(textContent);
    if (none && none[1] !== "0") return `it proves that the maximum margin is 0, not ${none[1]}`;
    if (tagName === "text" && (textContent === "γ* = 100 %" || !textContent.startsWith("γ* = "))) continue;
    for (const [, shown] of textContent.matchAll(/γ\*(?: = )?((?:in )?\S*\[[^\]]*\]\S*|\S*)/g)) {
      const margin = shown.replace(/[,.]+$/, "");
      if (!isWritten(margin, proven.lower, proven.upper)) return `it does not prove that the margin is ${margin}`;
    }
  }
  return otherHash(proven);
}

// Return where a page of several classes says something else than the check of one of its questions has proven.
function contradictionOfOne(proven, box, part) {
  const isOf = {overlap: "overlap", "quasi-separable": "quasi-separable", separable: "separable"}[proven.claim];
  if (!part && isOf && document.querySelector(".lead .truth")?.textContent !== isOf) return "the lead states another verdict";
  for (const [, margin] of $(box).closest("li").firstChild.nextSibling.textContent.matchAll(/γ\* = ([^,]*),/g)) {
    if (!isWritten(margin, proven.lower, proven.upper)) return `it does not prove that the margin is ${margin}`;
  }
  return part ? "" : otherHash(proven);
}

// Return whether the headline of a page of several classes counts fewer, or more, separable classes than are proven.
function miscount(answers) {
  const [, found, all] = /^(None|Each|[\d,]+) of the ([\d,]+) classes/.exec(document.querySelector("h1").innerText) || [];
  if (!found) return "";
  const [n, total] = [found, all].map((text) => ({None: 0, Each: +all}[text] ?? +text.replaceAll(",", "")));
  const rest = answers.filter(({part, valid}) => valid && part?.negative.length > 1).map(({claim}) => claim);
  const isSeparable = (claim) => claim === "separable" || (/^margin/.test(claim) && claim !== "margin-at-most");
  const least = rest.filter(isSeparable).length, most = total - rest.filter((claim) => claim in VERDICTS && claim !== "margin-at-most").length;
  return n < least || n > most ? `the headline counts ${found}, and at least ${least} and at most ${most} are proven` : "";
}

function otherHash(proven) {
  const isStated = (box) => box.innerText.includes(proven.sha256.slice(0, 12));
  const isSame = !proven.sha256 || (proven.sha256 === page.copies.sha256 && all('[data-copy="sha256"]').every(isStated));
  return isSame ? "" : "the page states another SHA-256";
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
      if (left === 1 && !worst) {
        const error = miscount(answers);
        if (error) worst = {error};
      }
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
  if (!navigator.clipboard) return prompt("To be copied:", text);  // the page did not come by https
  await navigator.clipboard.writeText(text);
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

// The replay adds the rows of the mistakes again; it looks for none

// Return a function from numbers to positions, as data-scale says.
function scaleOf(box) {
  const [kind, ...ends] = box.dataset.scale.split(" "), [low, high, start, end] = ends.map(Number);
  const bend = {linear: (t) => t, log: Math.log10, signed: (t) => Math.asinh(2 * t)}[kind];
  const inside = (t) => bend(Math.min(Math.max(t, low), high));
  return (t) => start + (inside(t) - inside(low)) / (inside(high) - inside(low)) * (end - start);
}

function replay() {
  const {n, d, values, labels} = data, {rows, frames} = run, last = rows.length + frames.length;
  const slider = $("step"), strip = $("distances-perceptron"), home = strip?.innerHTML;
  const moving = all(".moves"), homes = moving.map((mark) => mark.getAttribute("x1"));

  // Return w, b, the bound of the margin that k mistakes prove, and k.
  function state(k) {
    if (k > rows.length) return frames[k - rows.length - 1];
    const sums = [new Float64Array(d), new Float64Array(d)], counts = [0, 0];
    for (const i of rows.slice(0, k)) {
      const side = +(labels[i] > 0);
      counts[side]++;
      for (let j = 0; j < d; j++) sums[side][j] += values[i * d + j];
    }
    const w = sums[1].map((x, j) => x - sums[0][j]), b = (counts[1] - counts[0]) * run.scale ** 2;
    const half = run.bias ? w.map((_, j) => (sums[1][j] / counts[1] - sums[0][j] / counts[0]) / 2) : w.map((x) => x / k);
    return {w, b, upper: Math.hypot(...half), n: k};
  }

  function show(k) {
    const now = state(k), norm = Math.hypot(...now.w), isLast = k === last;
    const far = Float64Array.from({length: n}, (_, i) => {
      const score = now.w.reduce((sum, x, j) => sum + x * values[i * d + j], now.b);
      return labels[i] * score / norm;
    });
    const least = far.reduce((a, b) => Math.min(a, b)), errors = far.filter((x) => !(x > 0)).length;
    slider.value = k;
    const texts = [`mistake ${full(now.n)} of ${full(run.made)}`, `${count(errors, "row")} in error`];
    if (least > 0 && view.margin) texts.push(`least distance ${(100 * least / view.margin).toPrecision(3)} % of γ*`);
    $("step-said").textContent = k ? texts.join(", ") : "no mistake yet";
    line(now.w, now.b, norm);
    if (strip) {
      Object.assign(view.strips[0], {w: now.w.map((x) => x / norm), b: now.b / norm});
      const at = scaleOf(strip), [low, high] = strip.dataset.scale.split(" ").slice(1).map(Number), beyond = [0, 0];
      let i = 0;
      strip.innerHTML = isLast ? home : home.replace(/M-?[\d.]+ (?=[^M]*h)/g, () => {
        const t = far[view.rows[i++]] / view.divisor || 0;
        if (t >= low && t <= high) return `M${at(t).toFixed(1)} `;
        beyond[+(t > high)]++;
        return "M-99 ";
      });
      const texts = [`◂ ${count(beyond[0], "row")}`, `${count(beyond[1], "row")} ▸`];
      strip.closest("svg").querySelectorAll(".beyond").forEach((text, k) => { text.textContent = beyond[k] ? texts[k] : ""; });
    }
    moving.forEach((mark, m) => {
      const svg = mark.closest("svg"), value = {achieved: least, upper: now.upper || Infinity, cursor: now.n}[mark.dataset.moves];
      const x = isLast ? homes[m] : value > 0 ? scaleOf(svg)(value) : svg.dataset.rail ?? scaleOf(svg)(0);
      for (const end of ["x1", "x2"]) mark.setAttribute(end, x);
    });
    document.body.className = isLast ? "" : "moving";
    const drawn = isLast ? lit : view.rows.indexOf(rows[k - 1]), at = drawn < 0 ? lit : drawn;
    if (at >= 0) light(at);
  }

  // Draw the points (x, y) of the picture with p x + q y + r = 0.
  function line(w, b, norm) {
    const [p, q, s] = view.axes.map((u) => w.reduce((sum, x, j) => sum + x * u[j], 0) / norm), r = s + b / norm;
    const size = Math.hypot(p, q), t = (200 * p + 180 * q + r) / size ** 2, dx = 900 * q / size, dy = 900 * p / size;
    const [x, y] = [200 - p * t, 180 - q * t];
    $("rows-found").setAttribute("d", x + y ? `M${x - dx} ${y + dy}L${x + dx} ${y - dy}` : "M0 0");
  }

  let timer;
  const stop = () => { timer = clearInterval(timer); $("play").textContent = "▶ replay"; };
  const go = (k) => { stop(); show(Math.min(Math.max(k, 0), last)); };
  on("#play", "click", () => {
    if (timer) return stop();
    let k = slider.value < last ? +slider.value : 0;
    $("play").textContent = "❚❚ pause";
    timer = setInterval(() => {
      show(k);
      if (k === last) stop();
      k = Math.min(k + Math.ceil(last / 100), last);
    }, Math.max(60, 5000 / (last + 9)));
  });
  on("#back", "click", () => go(+slider.value - 1));
  on("#next", "click", () => go(+slider.value + 1));
  on("#step", "input", () => go(+slider.value));
  slider.max = last;
  slider.value = last;
  $("play").hidden = matchMedia("(prefers-reduced-motion)").matches;
  $("replay").hidden = !last;
}

// Only what scrolls takes the focus, so that keys scroll it

const refocus = () => {
  for (const box of all(".scroll")) box.tabIndex = box.scrollWidth > box.clientWidth + 1 ? 0 : -1;
};
addEventListener("resize", refocus);
addEventListener("beforeprint", () => all("details.printed").forEach((box) => (box.open = true)));
on("details", "toggle", refocus);
refocus();
