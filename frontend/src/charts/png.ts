import type { Look } from "./spec";

const PADDING_PX = 16;
const TITLE_PX = 34;

/** Paints a chart's canvas with its title on the page's surface: a canvas alone has no ground and no words. */
export function withGround(canvas: HTMLCanvasElement, title: string, look: Look): HTMLCanvasElement {
  const ratio = canvas.clientWidth > 0 ? canvas.width / canvas.clientWidth : 1;
  const picture = document.createElement("canvas");
  picture.width = canvas.width + 2 * PADDING_PX * ratio;
  picture.height = canvas.height + (2 * PADDING_PX + TITLE_PX) * ratio;
  const pen = picture.getContext("2d");
  if (!pen) throw new Error("This browser gives no drawing surface for the picture.");
  pen.fillStyle = look.surface;
  pen.fillRect(0, 0, picture.width, picture.height);
  pen.fillStyle = look.ink;
  pen.font = `600 ${15 * ratio}px ${look.font}`;
  pen.textBaseline = "top";
  pen.fillText(title, PADDING_PX * ratio, PADDING_PX * ratio, canvas.width);
  pen.drawImage(canvas, PADDING_PX * ratio, (PADDING_PX + TITLE_PX) * ratio);
  return picture;
}

/** Hands the picture to the browser as a file. */
export function download(canvas: HTMLCanvasElement, name: string): void {
  canvas.toBlob((blob) => {
    if (!blob) return;
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    // The address must outlive the click, which the browser handles later.
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  }, "image/png");
}
