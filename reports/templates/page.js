"use strict";
// The page is complete without this script but for what moves: the check of proofs, copying, sorting, the replay.
const $ = (id) => document.getElementById(id);
const json = (id) => $(id) && JSON.parse($(id).textContent);
const page = json("page-data"), source = json("data-text"), view = page.view;
const count = (n, noun) => `${n.toLocaleString("en")} ${noun}${n === 1 ? "" : "s"}`;
const on = (selector, kind, act) => document.querySelectorAll(selector).forEach((e) => e.addEventListener(kind, act));
document.querySelectorAll("[data-script]").forEach((element) => { element.hidden = false; });

// Proofs, checked in a worker

let data = null; // n, d, values and labels, as the worker has read them

function check(proof, from, part, done) {
  const url = URL.createObjectURL(new Blob([$("checker").textContent], {type: "text/javascript"}));
  const worker = new Worker(url), end = (answer) => { worker.terminate(); done(answer); };
  worker.onmessage = (event) => end(event.data);
  worker.onerror = () => end({valid: false, error: "the check did not run"});
  worker.postMessage({proof, data: from, part, decode: !data});
}

function say(box, {valid, milliseconds, did, hashed, error}, isShort, what = "Checked") {
  box.className = valid ? "checked" : "broken";
  const more = isShort ? "" : `: ${did}${hashed ? "; the SHA-256 of the data agrees" : ""}`;
  const done = `✓ ${what} in this browser, ${Math.max(1, Math.round(milliseconds))} ms, integers only${more}.`;
  box.textContent = valid ? done : `✗ The check fails: ${error}.`;
}

function checkAll(from) {
  const all = [];
  for (const {proof, part, boxes} of page.proofs) check($(proof).textContent, from, part, (answer) => {
    boxes.forEach((box, k) => say($(box), answer, k));
    if (!data && answer.decoded) { data = answer.decoded; if (page.run) replay(); }
    if (all.push(answer) > 1 && all.length === page.proofs.length) {
      const whole = {milliseconds: all.reduce((sum, {milliseconds}) => sum + milliseconds, 0), valid: true};
      say($("check"), all.find(({valid}) => !valid) || whole, true, `${all.length} proofs checked`);
    }
  });
}

// Change the first digit of one number after the other, of the direction if there is one, until the check names a row.
function breakIt({proof, part, boxes}, k = 0) {
  const text = $(proof).textContent, from = Math.max(text.indexOf('"direction"'), 0);
  const digits = [...text.matchAll(/(?<="-?)\d(?=\d*")/g)].filter(({index}) => index > from), at = digits[k].index;
  const digit = (Number(text[at]) + 4) % 9 + 1;
  check(text.slice(0, at) + digit + text.slice(at + 1), source, part, (answer) => {
    if (!/^row/.test(answer.error) && k + 1 < Math.min(digits.length, 9)) { breakIt({proof, part, boxes}, k + 1); return; }
    say($(boxes[0]), {...answer, error: `with one digit changed, ${answer.error}`});
  });
}

if (source) checkAll(source);
on("#break", "click", () => breakIt(page.proofs[0]));
on("#mend", "click", () => checkAll(source));
on("#drop-file", "change", (event) => event.target.files[0].arrayBuffer().then((bytes) => checkAll({format: "binary", bytes})));
on("[data-save]", "click", (event) => {
  const href = URL.createObjectURL(new Blob([$(event.target.dataset.save).textContent]));
  Object.assign(document.createElement("a"), {href, download: "proof.json"}).click();
});

// Tables

on("[data-copy]", "click", async ({target}) => {
  const [key, form] = target.dataset.copy.split("/"), name = target.textContent;
  await navigator.clipboard.writeText(form ? page.tables[key][form] : page.copies[key]);
  target.textContent = "copied";
  setTimeout(() => { target.textContent = name; }, 1200);
});
on("[data-sort]", "click", ({target}) => {
  const isDown = target.getAttribute("aria-pressed") !== "true", table = target.closest("table");
  const values = target.dataset.sort.split(" ").map((t) => (t === "-" ? -Infinity : isDown ? Number(t) : -Number(t)));
  table.querySelectorAll("[data-sort]").forEach((other) => other.setAttribute("aria-pressed", isDown && other === target));
  const order = [...values.keys()].sort((a, b) => values[b] - values[a]);
  for (const line of table.rows) {
    const cells = [...line.cells].slice(1).sort((a, b) => a.dataset.column - b.dataset.column);
    line.append(...order.map((k) => cells[k]));
  }
});

// The views of the rows: a row lights up in all of them

const groups = view ? [...document.querySelectorAll("#rows-points, #distances-perceptron, #distances-truth")] : [];
const dots = (group) => [...group.innerHTML.matchAll(/M(-?[\d.]+) (-?[\d.]+)h/g)].map((m) => [Number(m[1]), Number(m[2])]);
let lit = -1;

function light(k) {
  const row = view.rows[k], sign = k < view.n_negative ? -1 : 1;
  for (const group of groups) {
    const svg = group.closest("svg"), [x, y] = dots(group)[k];
    svg.querySelector(`#${group.id} ~ .lit`).setAttribute("d", `M${x - 9} ${y}a9 9 0 1 0 18 0a9 9 0 1 0 -18 0`);
  }
  const texts = [`row ${view.names ? view.names[k] : row}`, view.classes[sign < 0 ? 0 : 1]];
  for (const {name, w, b} of data ? view.strips : []) {
    const score = w.reduce((sum, value, j) => sum + value * data.values[row * data.d + j], b);
    texts.push(`${name}: ${(sign * score / view.divisor).toPrecision(3)} ${view.unit}`);
  }
  if (view.mistaken[row]) texts.push(`mistaken ${count(view.mistaken[row], "time")}`);
  if (view.multipliers[row]) texts.push(`multiplier ${view.multipliers[row]}`);
  $("row-said").textContent = texts.join(" · ");
  lit = k;
}

for (const group of groups) group.closest("svg").addEventListener("pointermove", (event) => {
  const svg = group.closest("svg"), box = svg.getBoundingClientRect(), unit = svg.viewBox.baseVal.width / box.width;
  const [x, y] = [(event.clientX - box.left) * unit, (event.clientY - box.top) * unit];
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

function scaleOf(element) { // from numbers to positions, as data-scale says
  const [kind, ...ends] = element.dataset.scale.split(" "), [low, high, start, end] = ends.map(Number);
  const bend = {linear: (t) => t, log: Math.log10, signed: (t) => Math.asinh(2 * t)}[kind];
  const inside = (t) => bend(Math.min(Math.max(t, low), high));
  return (t) => start + (inside(t) - inside(low)) / (inside(high) - inside(low)) * (end - start);
}

function replay() {
  const {n, d, values, labels} = data, {run} = page, slider = $("step");
  const frames = run.frames, last = run.rows.length + frames.length, strip = $("distances-perceptron");
  const home = strip?.innerHTML, moving = document.querySelectorAll(".moves");
  moving.forEach((mark) => { mark.dataset.home = mark.getAttribute("x1"); });

  function state(k) { // w, b, the bound of the margin that the mistakes prove, and their number
    if (k > run.rows.length) return frames[k - run.rows.length - 1];
    const sums = [new Float64Array(d), new Float64Array(d)], counts = [0, 0];
    for (const i of run.rows.slice(0, k)) {
      const side = labels[i] > 0 ? 1 : 0;
      counts[side]++;
      for (let j = 0; j < d; j++) sums[side][j] += values[i * d + j];
    }
    const w = sums[1].map((x, j) => x - sums[0][j]), b = run.bias ? (counts[1] - counts[0]) * run.scale ** 2 : 0;
    const half = run.bias ? w.map((_, j) => (sums[1][j] / counts[1] - sums[0][j] / counts[0]) / 2) : w.map((x) => x / k);
    return {w, b, upper: Math.hypot(...half), n: k};
  }

  function show(k) {
    const now = state(k), norm = Math.hypot(...now.w), isLast = k === last;
    const far = Float64Array.from({length: n}, (_, i) => {
      const score = now.w.reduce((sum, x, j) => sum + x * values[i * d + j], now.b);
      return (labels[i] > 0 ? score : -score) / norm;
    });
    const least = far.reduce((a, b) => Math.min(a, b)), errors = far.filter((x) => !(x > 0)).length;
    slider.value = k;
    $("step-said").textContent = !k ? "before the first mistake" : [`mistake ${now.n.toLocaleString("en")} of ${count(run.made, "mistake")}`,
      `${count(errors, "row")} in error`, ...(least > 0 && view.margin ? [`least distance ${(100 * least / view.margin).toPrecision(3)} % of γ*`] : [])].join(": ").replace(/: (?=least)/, ", ");
    line(now.w, now.b, norm);
    if (strip) {
      const at = scaleOf(strip);
      let i = 0;
      strip.innerHTML = isLast ? home : home.replace(/M-?[\d.]+ (?=[^M]*h)/g, () => `M${at(far[view.rows[i++]] / view.divisor || 0).toFixed(1)} `);
    }
    for (const mark of moving) {
      const svg = mark.closest("svg"), value = {achieved: least, upper: now.upper, cursor: now.n}[mark.dataset.moves];
      const x = isLast ? mark.dataset.home : value > 0 && value < Infinity ? scaleOf(svg)(value) : svg.dataset.rail || scaleOf(svg)(0);
      mark.setAttribute("x1", x);
      mark.setAttribute("x2", x);
      svg.classList.toggle("moving", !isLast);
    }
    const drawn = view.rows.indexOf(run.rows[k - 1]);
    if (drawn >= 0 && !isLast) light(drawn);
  }

  function line(w, b, norm) { // x = fx u.z + sx and y = fy v.z + sy of a row z in the picture: p x + q y + r = 0
    const along = (u) => w.reduce((sum, x, j) => sum + x * u[j], 0) / norm, [[fx, sx], [fy, sy]] = [view.x, view.y];
    const p = along(view.basis[0]) / fx, q = along(view.basis[1]) / fy, size = Math.hypot(p, q);
    const r = b / norm + along(view.centre) - p * sx - q * sy, t = (200 * p + 180 * q + r) / size ** 2;
    const [x, y, dx, dy] = [200 - p * t, 180 - q * t, 900 * q / size, 900 * p / size];
    $("rows-found").setAttribute("d", Number.isFinite(x + y) ? `M${x - dx} ${y + dy}L${x + dx} ${y - dy}` : "M0 0");
  }

  let timer = 0;
  const stop = () => { clearInterval(timer); timer = 0; $("play").textContent = "▶ replay"; };
  const go = (k) => { stop(); show(Math.min(Math.max(k, 0), last)); };
  on("#play", "click", () => {
    if (timer) return stop();
    let k = slider.value < last ? Number(slider.value) : 0;
    $("play").textContent = "❚❚ pause";
    const play = () => { show(k); if (k === last) stop(); k = Math.min(k + Math.ceil(last / 100), last); };
    timer = setInterval(play, Math.max(60, Math.min(800, 8000 / last)));
  });
  on("#back", "click", () => go(Number(slider.value) - 1));
  on("#next", "click", () => go(Number(slider.value) + 1));
  on("#step", "input", () => go(Number(slider.value)));
  slider.max = last;
  slider.value = last;
  $("play").hidden = matchMedia("(prefers-reduced-motion: reduce)").matches;
  $("replay").hidden = !last;
}

// Only what scrolls takes the focus, so that keys scroll it

const focusWhatScrolls = () => document.querySelectorAll(".scroll").forEach((box) => {
  box.tabIndex = box.scrollWidth > box.clientWidth + 1 ? 0 : -1;
});
addEventListener("resize", focusWhatScrolls);
on("details", "toggle", focusWhatScrolls);
focusWhatScrolls();
