import type { Chart } from "chart.js";

interface Touches {
  readonly distance: number;
  readonly x: number;
  readonly y: number;
}

function touchesOf(list: TouchList): Touches | undefined {
  const [a, b] = [list[0], list[1]];
  if (!a || !b) return undefined;
  return {
    distance: Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY),
    x: (a.clientX + b.clientX) / 2,
    y: (a.clientY + b.clientY) / 2,
  };
}

type Current = () => Chart<"scatter"> | undefined;

/** Two fingers zoom and move; one finger scrolls the page as it does everywhere else. */
function pinch(canvas: HTMLCanvasElement, current: Current): void {
  let before: Touches | undefined;
  const take = (event: TouchEvent) => {
    before = touchesOf(event.touches);
  };
  const move = (event: TouchEvent) => {
    const now = touchesOf(event.touches);
    if (!before || !now) return;
    event.preventDefault();
    const { left, top } = canvas.getBoundingClientRect();
    const ratio = now.distance / Math.max(before.distance, 1);
    const focalPoint = { x: now.x - left, y: now.y - top };
    current()?.zoom({ x: ratio, y: ratio, focalPoint }, "none");
    current()?.pan({ x: now.x - before.x, y: now.y - before.y }, undefined, "none");
    before = now;
  };
  canvas.addEventListener("touchstart", take, { passive: true });
  canvas.addEventListener("touchend", take, { passive: true });
  canvas.addEventListener("touchmove", move, { passive: false });
}

/** Shift and drag moves the picture. */
function drag(canvas: HTMLCanvasElement, current: Current): void {
  let before: PointerEvent | undefined;
  canvas.addEventListener("pointerdown", (event) => {
    if (!event.shiftKey || event.pointerType === "touch" || event.button !== 0) return;
    before = event;
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!before) return;
    current()?.pan(
      { x: event.clientX - before.clientX, y: event.clientY - before.clientY },
      undefined,
      "none",
    );
    before = event;
  });
  for (const name of ["pointerup", "pointercancel"] as const) {
    canvas.addEventListener(name, () => {
      before = undefined;
    });
  }
}

/** Makes a canvas listen to fingers and to Shift and drag. `current` gives the chart that it shows now. */
export function watchGestures(canvas: HTMLCanvasElement, current: Current): void {
  pinch(canvas, current);
  drag(canvas, current);
}
