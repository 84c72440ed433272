import type { Look } from "./spec";

const PADDING_PX = 16;
const TITLE_PX = 34;
const FOOT_PX = 22;

export interface Words {
  readonly title: string;
  /** Where the numbers come from: the drive, the run, and whether it was measured or simulated. */
  readonly source: string;
}

/** Paints a chart's canvas with its words on the page's surface: a canvas alone has no ground and no words. */
export function withGround(canvas: HTMLCanvasElement, words: Words, look: Look): HTMLCanvasElement {
  const ratio = canvas.clientWidth > 0 ? canvas.width / canvas.clientWidth : 1;
  const picture = document.createElement("canvas");
  const foot = words.source ? FOOT_PX : 0;
  picture.width = canvas.width + 2 * PADDING_PX * ratio;
  picture.height = canvas.height + (2 * PADDING_PX + TITLE_PX + foot) * ratio;
  const pen = picture.getContext("2d");
  if (!pen) throw new Error("This browser gives no drawing surface for the picture.");
  pen.fillStyle = look.surface;
  pen.fillRect(0, 0, picture.width, picture.height);
  pen.fillStyle = look.ink;
  pen.font = `600 ${15 * ratio}px ${look.font}`;
  pen.textBaseline = "top";
  pen.fillText(words.title, PADDING_PX * ratio, PADDING_PX * ratio, canvas.width);
  pen.drawImage(canvas, PADDING_PX * ratio, (PADDING_PX + TITLE_PX) * ratio);
  pen.font = `${12 * ratio}px ${look.font}`;
  pen.fillStyle = look.muted;
  pen.textBaseline = "bottom";
  if (words.source)
    pen.fillText(words.source, PADDING_PX * ratio, picture.height - PADDING_PX * ratio, canvas.width);
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
