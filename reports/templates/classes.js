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
