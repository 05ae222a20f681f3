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
        const t = far[view.rows[i++]] / view.divisor || 0, is = t > high;
        if (is || t < low) beyond[+is]++;
        return is || t < low ? "M-99 " : `M${at(t).toFixed(1)} `;
      });
      const [left, right] = beyond.map((n) => n && count(n, "row")), [before, after] = all("#distances .beyond");
      before.textContent = left ? `◂ ${left}` : "";
      after.textContent = right ? `${right} ▸` : "";
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
