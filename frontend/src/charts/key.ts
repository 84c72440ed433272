import type { Look } from "./spec";

const ROW_PX = 20;
const SWATCH_PX = 24;
const GAP_PX = 6;
const BETWEEN_PX = 18;

interface Entry {
  readonly swatch: SVGElement;
  readonly words: string;
  readonly x: number;
  readonly row: number;
}

export interface Key {
  readonly entries: readonly Entry[];
  /** In pixels of the style sheet, as all sizes here. */
  readonly height: number;
}

/** Where each series that is shown stands in a picture's key, row by row; `widthOf` measures words. */
export function keyOf(legend: Element | null, width: number, widthOf: (words: string) => number): Key {
  const entries: Entry[] = [];
  let [x, row] = [0, 0];
  for (const button of legend?.querySelectorAll('button[aria-pressed="true"]') ?? []) {
    const swatch = button.querySelector("svg");
    const words = button.textContent ?? "";
    if (!swatch) continue;
    const needed = SWATCH_PX + GAP_PX + widthOf(words);
    if (x > 0 && x + needed > width) [x, row] = [0, row + 1];
    entries.push({ swatch, words, x, row });
    x += needed + BETWEEN_PX;
  }
  return { entries, height: entries.length > 0 ? (row + 1) * ROW_PX : 0 };
}

function numbersOf(element: Element, ...names: string[]): number[] {
  return names.map((name) => Number(element.getAttribute(name)));
}

/** Paints a part of a swatch as the legend of the page shows it. */
function paintPart(pen: CanvasRenderingContext2D, part: Element): void {
  const path = new Path2D();
  if (part.tagName === "line") {
    const [x1, y1, x2, y2] = numbersOf(part, "x1", "y1", "x2", "y2") as [number, number, number, number];
    path.moveTo(x1, y1);
    path.lineTo(x2, y2);
  } else if (part.tagName === "rect") {
    path.rect(...(numbersOf(part, "x", "y", "width", "height") as [number, number, number, number]));
  } else {
    const [x, y] = (part.getAttribute("transform")?.match(/[\d.]+/g) ?? []).map(Number);
    path.addPath(new Path2D(part.getAttribute("d") ?? ""), new DOMMatrix([1, 0, 0, 1, x ?? 0, y ?? 0]));
  }
  const [fill, stroke] = [part.getAttribute("fill") ?? "none", part.getAttribute("stroke") ?? "none"];
  pen.setLineDash((part.getAttribute("stroke-dasharray") ?? "").split(" ").filter(Boolean).map(Number));
  pen.lineWidth = Number(part.getAttribute("stroke-width") ?? 1);
  if (fill !== "none") {
    pen.fillStyle = fill;
    pen.fill(path);
  }
  if (stroke !== "none") {
    pen.strokeStyle = stroke;
    pen.stroke(path);
  }
}

/** Paints the key with its upper left corner at the pen's origin. */
export function paintKey(pen: CanvasRenderingContext2D, key: Key, look: Look): void {
  for (const { swatch, words, x, row } of key.entries) {
    pen.save();
    pen.translate(x, row * ROW_PX + 4);
    for (const part of swatch.children) paintPart(pen, part);
    pen.fillStyle = look.ink;
    pen.textBaseline = "middle";
    pen.fillText(words, SWATCH_PX + GAP_PX, 6);
    pen.restore();
  }
}
