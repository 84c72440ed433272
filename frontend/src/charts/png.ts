import { keyOf, paintKey } from "./key";
import type { Look } from "./spec";

const PADDING_PX = 16;
const TITLE_PX = 34;
const LINE_PX = 16;
const FOOT_PX = 6;

export interface Words {
  readonly title: string;
  /** Where the numbers come from: the drive, the run, and whether it was measured or simulated. */
  readonly source: string;
  /** The list in the page that names the series. */
  readonly legend: Element | null;
}

/** Words as lines that are no wider than the picture, broken between words. */
export function wrapped(words: string, width: number, widthOf: (words: string) => number): string[] {
  const lines: string[] = [];
  for (const word of words.split(" ").filter(Boolean)) {
    const last = lines.at(-1);
    if (last !== undefined && widthOf(`${last} ${word}`) <= width)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** Paints a chart's canvas with its words and its key on the page's surface: a canvas alone has no ground and
    says of no line what it is. */
export function withGround(canvas: HTMLCanvasElement, words: Words, look: Look): HTMLCanvasElement {
  const ratio = canvas.clientWidth > 0 ? canvas.width / canvas.clientWidth : 1;
  const picture = document.createElement("canvas");
  const pen = picture.getContext("2d");
  if (!pen) throw new Error("This browser gives no drawing surface for the picture.");
  pen.font = `${12 * ratio}px ${look.font}`;
  const widthOf = (text: string) => pen.measureText(text).width / ratio;
  const key = keyOf(words.legend, canvas.width / ratio, widthOf);
  const lines = wrapped(words.source, canvas.width / ratio, widthOf);
  const foot = lines.length > 0 ? FOOT_PX + lines.length * LINE_PX : 0;
  // Setting a canvas' size forgets the font.
  picture.width = canvas.width + 2 * PADDING_PX * ratio;
  picture.height = canvas.height + (2 * PADDING_PX + TITLE_PX + key.height + foot) * ratio;
  pen.fillStyle = look.surface;
  pen.fillRect(0, 0, picture.width, picture.height);
  pen.fillStyle = look.ink;
  pen.font = `600 ${15 * ratio}px ${look.font}`;
  pen.textBaseline = "top";
  pen.fillText(words.title, PADDING_PX * ratio, PADDING_PX * ratio, canvas.width);
  pen.drawImage(canvas, PADDING_PX * ratio, (PADDING_PX + TITLE_PX) * ratio);
  pen.setTransform(ratio, 0, 0, ratio, PADDING_PX * ratio, (PADDING_PX + TITLE_PX) * ratio + canvas.height);
  pen.font = `12px ${look.font}`;
  paintKey(pen, key, look);
  pen.fillStyle = look.muted;
  pen.textBaseline = "top";
  for (const [index, line] of lines.entries()) pen.fillText(line, 0, key.height + FOOT_PX + index * LINE_PX);
  return picture;
}

/** Hands what was made here to the browser as a file. */
export function save(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  // The address must outlive the click, which the browser handles later.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Hands the picture to the browser as a file. */
export function download(canvas: HTMLCanvasElement, name: string): void {
  canvas.toBlob((blob) => {
    if (blob) save(blob, name);
  }, "image/png");
}
