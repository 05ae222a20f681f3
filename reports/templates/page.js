"use strict";
// The page without this script is complete but for what moves: the check of the proof, copying, sorting, the replay.
const $ = (id) => document.getElementById(id);
const read = (id) => ($(id) ? JSON.parse($(id).textContent) : null);
const page = read("page-data");
const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
const count = (n, noun) => `${n.toLocaleString("en")} ${noun}${n === 1 ? "" : "s"}`;
document.querySelectorAll("[data-script]").forEach((element) => { element.hidden = false; });

// The proof, checked in a worker

let rows = null; // {n, d, values, labels}: the data, as the worker has read them

function check(proof, data, part, done) {
  const worker = new Worker(URL.createObjectURL(new Blob([$("checker").textContent], { type: "text/javascript" })));
  worker.onmessage = ({ data: answer }) => { worker.terminate(); done(answer); };
  worker.onerror = (event) => { worker.terminate(); done({ valid: false, error: event.message || "the check did not run" }); };
  worker.postMessage({ proof, data, part, decoded: true });
}

function say(id, answer) {
  const box = $(id);
  box.className = answer.valid ? "checked" : "broken";
  const ms = Math.max(1, Math.round(answer.milliseconds || 0));
  const hash = answer.hashed ? "; SHA-256 of the data agrees" : "";
  box.textContent = answer.valid
    ? `✓ Proof checked in this browser, ${ms} ms, integers only${id === "check" ? "" : `: ${answer.did}${hash}`}.`
    : `✗ The check fails: ${answer.error}.`;
}

function run(data) {
  check($("proof-text").textContent, data, page.part, (answer) => {
    say("check", answer);
    say("check-full", answer);
    if (answer.valid && answer.decoded) { rows = answer.decoded; if (page.view) replay(); }
  });
}

function altered(text) { // one digit of the first long integer of the direction or the weights
  return text.replace(/("(?:direction|weights)": ?\[[^\]]*?"-?)(\d)/, (_, head, digit) => head + ((Number(digit) % 9) + 1));
}

const source = read("data-text");
if ($("proof-text") && source) run(source);
else if ($("proof-text") && $("drop")) {
  $("check").textContent = "The data are not in this page; drop their file below to check the proof.";
  const take = (file) => file.arrayBuffer().then((bytes) => run({ format: "binary", bytes }));
  $("drop-file").addEventListener("change", (event) => take(event.target.files[0]));
  $("drop").addEventListener("dragover", (event) => event.preventDefault());
  $("drop").addEventListener("drop", (event) => { event.preventDefault(); take(event.dataTransfer.files[0]); });
}
$("break")?.addEventListener("click", () => {
  check(altered($("proof-text").textContent), source, page.part, (answer) => {
    answer.error = `with one digit changed, ${answer.error}`;
    say("check-full", answer);
  });
});
$("mend")?.addEventListener("click", () => run(source));
$("save-proof")?.addEventListener("click", () => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([$("proof-text").textContent], { type: "application/json" }));
  link.download = "proof.json";
  link.click();
  URL.revokeObjectURL(link.href);
});

// Tables

document.querySelectorAll("button[data-copy]").forEach((button) => button.addEventListener("click", async () => {
  const [key, form] = button.dataset.copy.split("/");
  const text = form ? page.tables[key][form] : page.copies[key];
  try { await navigator.clipboard.writeText(text); } catch {
    const area = Object.assign(document.createElement("textarea"), { value: text });
    document.body.append(area); area.select(); document.execCommand("copy"); area.remove();
  }
  const name = button.textContent;
  button.textContent = "copied";
  setTimeout(() => { button.textContent = name; }, 1200);
}));

document.querySelectorAll("button[data-sort]").forEach((button) => button.addEventListener("click", () => {
  const table = button.closest("table");
  const values = button.dataset.sort.split(" ").map((text) => (text === "" || text === "-" ? NaN : Number(text)));
  const down = button.getAttribute("aria-pressed") !== "true";
  table.querySelectorAll("button[data-sort]").forEach((other) => other.setAttribute("aria-pressed", "false"));
  button.setAttribute("aria-pressed", String(down));
  const rank = (value) => (Number.isNaN(value) ? -Infinity : down ? value : -value);
  const order = values.map((_, k) => k).sort((a, b) => rank(values[b]) - rank(values[a]) || a - b);
  for (const line of table.rows) {
    const cells = [...line.cells].slice(1).sort((a, b) => a.dataset.column - b.dataset.column);
    order.forEach((k) => line.append(cells[k]));
  }
}));

// The views of the rows: one row lights up in all of them

const SVG = "http://www.w3.org/2000/svg";
const points = (path) => [...path.getAttribute("d").matchAll(/M(-?[\d.]+) (-?[\d.]+)/g)].map((m) => [Number(m[1]), Number(m[2])]);
const places = []; // of every view: its svg, the points of its rows, and the ring around one of them

function views() {
  for (const group of document.querySelectorAll("#rows-points, #distances-perceptron, #distances-truth")) {
    const svg = group.closest("svg");
    const ring = document.createElementNS(SVG, "circle");
    ring.setAttribute("r", 9);
    ring.setAttribute("class", "lit");
    ring.style.display = "none";
    svg.append(ring);
    const at = ["negative", "positive"].flatMap((name) => points(group.querySelector(`[class^="${name}"]`)));
    places.push({ svg, at, ring });
    svg.addEventListener("pointermove", (event) => {
      const box = svg.getBoundingClientRect();
      const scale = svg.viewBox.baseVal.width / box.width;
      const x = (event.clientX - box.left) * scale, y = (event.clientY - box.top) * scale;
      let near = -1, least = 18 ** 2;
      at.forEach(([u, v], k) => { const far = (u - x) ** 2 + (v - y) ** 2; if (far < least) { least = far; near = k; } });
      if (near >= 0) light(near);
    });
  }
  const box = $("views");
  box.tabIndex = 0;
  box.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step || event.target.type === "range") return;
    event.preventDefault();
    const n = page.view.rows.length;
    light((lit + step + n) % n);
  });
}

let lit = -1;
function light(k) {
  lit = k;
  for (const { at, ring } of places) {
    ring.style.display = "";
    ring.setAttribute("cx", at[k][0]);
    ring.setAttribute("cy", at[k][1]);
  }
  $("row-said").textContent = describe(k);
}

function describe(k) {
  const view = page.view, row = view.rows[k], sign = k < view.n_negative ? -1 : 1;
  const parts = [`row ${view.names ? view.names[k] : row}`, view.classes[sign < 0 ? 0 : 1]];
  for (const { name, w, b } of rows ? view.strips : []) {
    const far = w.reduce((sum, value, j) => sum + value * rows.values[row * rows.d + j], b);
    parts.push(`${name}: ${((sign * far) / view.divisor).toPrecision(3)} ${view.unit}`);
  }
  if (view.mistaken[row]) parts.push(`mistaken ${count(view.mistaken[row], "time")}`);
  if (view.multipliers[row]) parts.push(`multiplier ${view.multipliers[row]}`);
  return parts.join(" · ");
}

// The replay: it adds the rows of the mistakes again, and looks for none

function replay() {
  const { n, d, values, labels } = rows, { run, view } = page;
  const slider = $("step"), steps = run.rows.length, frames = run.frames.filter((frame) => frame.n > steps);
  const square = run.scale ** 2, sign = (i) => (labels[i] > 0 ? 1 : -1);
  let sums = [new Float64Array(d), new Float64Array(d)], counts = [0, 0], at = 0;
  const last = steps + frames.length;
  slider.max = last;
  slider.value = last;

  function plane(k) { // w and b after k steps, and the upper bound of the margin that the mistakes prove
    if (k > steps) { const { w, b, upper } = frames[k - steps - 1]; return { w, b, upper, M: frames[k - steps - 1].n }; }
    if (k < at) { sums = [new Float64Array(d), new Float64Array(d)]; counts = [0, 0]; at = 0; }
    for (; at < k; at++) {
      const i = run.rows[at], side = sign(i) > 0 ? 1 : 0;
      counts[side]++;
      for (let j = 0; j < d; j++) sums[side][j] += values[i * d + j];
    }
    const w = sums[1].map((value, j) => value - sums[0][j]);
    const mean = run.bias ? (j) => (sums[1][j] / counts[1] - sums[0][j] / counts[0]) / 2 : (j) => w[j] / k;
    return { w, b: run.bias ? (counts[1] - counts[0]) * square : 0, upper: Math.hypot(...w.map((_, j) => mean(j))), M: k };
  }

  function distances({ w, b }) {
    const norm = Math.hypot(...w), found = new Float64Array(n);
    for (let i = 0; i < n; i++) {
      let score = b;
      for (let j = 0; j < d; j++) score += values[i * d + j] * w[j];
      found[i] = (sign(i) * score) / norm;
    }
    return found;
  }

  function show(k) {
    slider.value = k;
    const state = plane(k), found = distances(state), done = k === last;
    let errors = 0, least = Infinity;
    for (const value of found) { if (!(value > 0)) errors++; if (value < least) least = value; }
    line(state);
    strip(found);
    const texts = [k ? `after mistake ${state.M.toLocaleString("en")} of ${run.made.toLocaleString("en")}` : "before the first mistake, w = 0"];
    if (k && k <= steps) {
      texts.push(`on row ${run.names ? run.names[run.rows[k - 1]] : run.rows[k - 1]}`);
      const drawn = view.rows.indexOf(run.rows[k - 1]);
      if (drawn >= 0) light(drawn);
    }
    if (k) texts.push(`${count(errors, "row")} in error`);
    if (k && view.margin && least > 0) texts.push(`least distance ${((100 * least) / view.margin).toPrecision(3)} % of γ*`);
    $("step-said").textContent = texts.join(": ").replace(/: (?=.*: )/g, ", ");
    document.querySelectorAll("#margins-w, #margins-n").forEach((svg) => svg.classList.toggle("moving", !done));
    mark("achieved", done ? null : least > 0 ? least : NaN);
    mark("upper", done ? null : state.upper);
    cursor(state.M);
  }

  function line({ w, b }) {
    const path = $("rows-found"), norm = Math.hypot(...w), [u, v] = view.basis;
    const along = (direction) => w.reduce((sum, value, j) => sum + value * direction[j], 0) / norm;
    const [fx, sx] = view.x, [fy, sy] = view.y;
    // In the picture x = fx (u.x) + sx and y = fy (v.x) + sy, so the line is p x + q y + r = 0.
    const p = along(u) / fx, q = along(v) / fy, r = b / norm + along(view.centre) - p * sx - q * sy, size = p * p + q * q;
    if (!Number.isFinite(r) || !(size > 0)) { path.setAttribute("d", "M0 0"); return; }
    const x = 200 - (p * (p * 200 + q * 180 + r)) / size, y = 180 - (q * (p * 200 + q * 180 + r)) / size;
    const dx = (-q / Math.sqrt(size)) * 900, dy = (p / Math.sqrt(size)) * 900;
    path.setAttribute("d", `M${x - dx} ${y - dy}L${x + dx} ${y + dy}`);
  }

  const moved = document.querySelector("#distances-perceptron");
  const home = moved && [...moved.querySelectorAll("path")].map((path) => path.getAttribute("d"));
  function strip(found) {
    if (!moved) return;
    const [kind, low, high, start, end] = view.scale, bend = kind === "log" ? (t) => Math.asinh(2 * t) : (t) => t;
    const place = (t) => start + ((bend(Math.min(Math.max(t, low), high)) - bend(low)) / (bend(high) - bend(low))) * (end - start);
    let k = 0;
    const shown = places.find((entry) => entry.svg.contains(moved) && entry.at !== null);
    [...moved.querySelectorAll("path")].forEach((path, which) => {
      path.setAttribute("d", home[which].replace(/M(-?[\d.]+) /g, () => {
        const value = found[view.rows[k]] / view.divisor, x = Number.isFinite(value) ? place(value) : start;
        shown.at[k] = [x, shown.at[k][1]];
        k++;
        return `M${x.toFixed(1)} `;
      }));
    });
    const joins = document.querySelector("#distances .joins");
    if (joins) joins.style.opacity = 0;
  }

  function mark(name, value) { // null puts a mark back where the run ended
    for (const form of ["w", "n"]) {
      const element = $(`margins-${form}-${name}`), svg = $(`margins-${form}`);
      if (!element || !svg) continue;
      element.dataset.home ??= element.getAttribute("x1");
      const [low, high, start, end] = svg.dataset.scale.split(" ").map(Number);
      const share = (Math.log10(Math.min(Math.max(value, low), high)) - Math.log10(low)) / (Math.log10(high) - Math.log10(low));
      const x = value === null ? Number(element.dataset.home) : Number.isFinite(share) ? start + share * (end - start) : Number(svg.dataset.rail || start);
      element.setAttribute("x1", x);
      element.setAttribute("x2", x);
    }
  }

  function cursor(M) {
    const group = $("curves-cursor");
    if (!group) return;
    const [kind, low, high, start, end] = group.dataset.scale.split(" ").map((t, k) => (k ? Number(t) : t));
    const bend = kind === "log" ? (t) => Math.log10(Math.max(t, low)) : (t) => t;
    const x = start + ((bend(M) - bend(low)) / (bend(high) - bend(low))) * (end - start);
    const line = document.querySelector("#curves .cursor");
    line.setAttribute("x1", x);
    line.setAttribute("x2", x);
  }

  let timer = 0;
  const stop = () => { clearInterval(timer); timer = 0; $("play").textContent = "▶ replay"; };
  const step = (by) => { stop(); show(Math.min(Math.max(Number(slider.value) + by, 0), last)); };
  $("play").hidden = still;
  $("play").addEventListener("click", () => {
    if (timer) { stop(); return; }
    let k = Number(slider.value) >= last ? 0 : Number(slider.value);
    $("play").textContent = "❚❚ pause";
    const stride = Math.max(1, Math.round(last / 120));
    timer = setInterval(() => { k = Math.min(k + stride, last); show(k); if (k >= last) stop(); }, Math.max(40, Math.min(700, 6000 / last)));
  });
  $("back").addEventListener("click", () => step(-1));
  $("next").addEventListener("click", () => step(1));
  slider.addEventListener("input", () => { stop(); show(Number(slider.value)); });
  $("replay").hidden = last < 1;
}

if (page.view) views();

// Only what scrolls takes the focus, so that it can be scrolled by keys.

function scrolls() {
  document.querySelectorAll(".scroll").forEach((box) => {
    if (box.scrollWidth > box.clientWidth + 1) box.tabIndex = 0; else box.removeAttribute("tabindex");
  });
}
addEventListener("resize", scrolls);
document.querySelectorAll("details").forEach((box) => box.addEventListener("toggle", scrolls));
addEventListener("beforeprint", () => document.querySelectorAll("details.proof-rows").forEach((box) => { box.open = true; }));
scrolls();
