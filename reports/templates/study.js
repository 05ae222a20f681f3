// One table of a study at a time: of all data and methods for a measure, or of one data set or method for all measures.
const $ = (id) => document.getElementById(id);
const {methods, measures, data} = JSON.parse($("study").textContent);
const boxes = ["of-data", "of-method", "of-measure"].map($);

function options(box, names, all) {
  [...(all ? [all] : []), ...names].forEach((name, k) => box.add(new Option(name, all ? k - 1 : k)));
}

// Return a row of cells; the first one is its heading.
function line(texts, tag) {
  const row = document.createElement("tr");
  texts.forEach((text, k) => {
    const cell = document.createElement((k && tag === "td") || !text ? "td" : "th");
    if (cell.tagName === "TH") cell.scope = tag === "th" ? "col" : "row";
    if (k) cell.className = "n";
    cell.textContent = text;
    row.append(cell);
  });
  return row;
}

function show() {
  const [of, by, measure] = boxes.map((box) => +box.value), table = $("chosen"), isMatrix = of < 0 && by < 0;
  boxes[2].parentElement.hidden = !isMatrix;
  const rows = of < 0 ? data : by < 0 ? methods.map((_, k) => k) : [by];
  const cells = (entry, k) => measures.map((_, m) => entry.cells[m][k][1]);
  const head = isMatrix ? ["", "γ*", ...methods] : of < 0 ? ["", "γ*", ...measures] : ["", ...measures];
  const lines = rows.map((row) => isMatrix ? [row.name, row.maximum, ...row.cells[measure].map((cell) => cell[0])]
    : of < 0 ? [row.name, row.maximum, ...cells(row, by)] : [methods[row], ...cells(data[of], row)]);
  table.className = isMatrix ? "upright" : "";
  table.tHead.replaceChildren(line(head, "th"));
  table.tBodies[0].replaceChildren(...lines.map((texts) => line(texts, "td")));
  table.caption.textContent = isMatrix ? `${measures[measure]}: median over orders and seeds`
    : `${of < 0 ? methods[by] : `${data[of].name}, γ* = ${data[of].maximum}`}: median (least to most) over orders and seeds`;
}

options(boxes[0], data.map((entry) => entry.name), "all");
options(boxes[1], methods, "all");
options(boxes[2], measures);
boxes.forEach((box) => box.addEventListener("change", show));
$("choice").hidden = false;
addEventListener("beforeprint", () => document.querySelectorAll("details.printed").forEach((box) => { box.open = true; }));
show();
