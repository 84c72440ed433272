// The basics of accessibility, read off a page; tests/e2e/audit.py calls it and documents the rules.
() => {
  const found = [];
  const visible = (e) => e.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  const say = (rule, e) => found.push(`${rule}: ${e.outerHTML.slice(0, 120)}`);
  const name = (e) => (e.getAttribute("aria-label") || e.getAttribute("title") || e.textContent || "").trim();
  if (!document.documentElement.lang) found.push("the page has no language");
  if (!document.title.trim()) found.push("the page has no title");
  if (document.querySelectorAll("h1").length !== 1) found.push("the page has not exactly one h1");
  if (document.querySelectorAll("main").length !== 1) found.push("the page has not exactly one main");
  let level = 0;
  for (const h of document.querySelectorAll("h1,h2,h3,h4,h5,h6")) {
    const here = Number(h.tagName[1]);
    if (level && here > level + 1) say("a heading skips a level", h);
    level = here;
  }
  const ids = new Set();
  for (const e of document.querySelectorAll("[id]")) {
    if (ids.has(e.id)) say("an id comes twice", e);
    ids.add(e.id);
  }
  for (const e of document.querySelectorAll("[aria-labelledby],[aria-describedby]"))
    for (const attribute of ["aria-labelledby", "aria-describedby"])
      for (const id of (e.getAttribute(attribute) || "").split(/\s+/).filter(Boolean))
        if (!ids.has(id)) say(`${attribute} leads nowhere`, e);
  for (const e of document.querySelectorAll("a,button"))
    if (visible(e) && !name(e)) say("a control has no name", e);
  for (const e of document.querySelectorAll("img"))
    if (!e.hasAttribute("alt")) say("a picture has no text", e);
  for (const e of document.querySelectorAll("svg"))
    if (!e.closest("[aria-hidden=true]") && !e.querySelector("title"))
      say("a drawing has neither title nor aria-hidden", e);
  for (const e of document.querySelectorAll("canvas"))
    if (!e.getAttribute("aria-label")) say("a canvas has no name", e);
  for (const e of document.querySelectorAll("input:not([type=hidden]),select,textarea"))
    if (!e.labels.length && !e.getAttribute("aria-label")) say("a field has no label", e);
  for (const e of document.querySelectorAll("th")) if (!e.scope) say("a header cell has no scope", e);
  for (const e of document.querySelectorAll("dl > div > dd:first-child")) say("a description has no term", e);

  if (matchMedia("(max-width: 40rem)").matches)
    for (const e of document.querySelectorAll(".table-frame:has(> .stacks)"))
      if (visible(e) && e.scrollWidth > e.clientWidth) say("cards are wider than their frame", e);
  for (const e of document.querySelectorAll(".table-frame"))
    if (visible(e) && !e.closest("figure.chart") && e.scrollHeight > e.clientHeight + 1)
      say("a table is cut off below", e);
  for (const e of document.querySelectorAll(".table-frame > table > caption"))
    if (visible(e) && e.offsetWidth > e.closest(".table-frame").clientWidth + 1)
      say("a caption is wider than its frame", e);

  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (color) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const light = (c) => {
    const [r, g, b] = c.slice(0, 3).map((v) => {
      v /= 255;
      return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const grounds = (e) => {
    for (let at = e; at; at = at.parentElement) {
      const style = getComputedStyle(at);
      const stripes = [...style.backgroundImage.matchAll(/rgba?\([^)]*\)/g)]
        .map((m) => rgba(m[0]))
        .filter((c) => c[3] === 255);
      if (stripes.length) return stripes;
      const color = rgba(style.backgroundColor);
      if (color[3] === 255) return [color];
    }
    return [[255, 255, 255, 255]];
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const seen = new Set();
  while (walker.nextNode()) {
    const e = walker.currentNode.parentElement;
    if (
      seen.has(e) ||
      !walker.currentNode.textContent.trim() ||
      e.closest("svg,canvas,script,noscript,.skip-link") ||
      !visible(e)
    )
      continue;
    seen.add(e);
    const style = getComputedStyle(e);
    const size = parseFloat(style.fontSize);
    const need = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700) ? 3 : 4.5;
    const ink = light(rgba(style.color));
    for (const ground of grounds(e)) {
      const other = light(ground);
      const ratio = (Math.max(ink, other) + 0.05) / (Math.min(ink, other) + 0.05);
      if (ratio < need) {
        say(`contrast ${ratio.toFixed(2)} is below ${need}`, e);
        break;
      }
    }
  }
  return found;
};
