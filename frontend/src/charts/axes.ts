import { axisTitle, formatTick } from "./format";
import type { Axis, Look } from "./spec";

export function isLog(axis: Axis): boolean {
  return axis.scale.startsWith("log");
}

/**
 * The words at a place of an axis: its category where it has some, otherwise the number, told from its
 * neighbours.
 */
export function placeWords(axis: Axis, value: number, step?: number): string {
  return axis.categories?.length ? (axis.categories[Math.round(value)] ?? "") : formatTick(value, step);
}

/** Powers of ten, and 2 and 5 between them where few decades are shown: other ticks of a logarithm crowd. */
function logTick(value: number, shown: readonly { value: number }[]): string {
  const decades = Math.log10((shown.at(-1)?.value ?? 1) / (shown[0]?.value || 1));
  const lead = Number(value.toExponential(3).split("e")[0]);
  return lead === 1 || (decades < 4 && (lead === 2 || lead === 5)) ? formatTick(value) : "";
}

/** A tick at each place of an axis with categories: Chart.js counts its ticks from the axis' end. */
function placeTicks(axis: { min: number; max: number; ticks: { value: number }[] }): void {
  axis.ticks = [];
  // Adding nought makes nought of the -0 that rounding gives.
  for (let place = Math.ceil(axis.min) + 0; place <= axis.max; place++) axis.ticks.push({ value: place });
}

/**
 * Ticks at whole steps: Chart.js counts from where the data begin, and would write 0.0000053 below the first.
 */
export function evenTicks(axis: { min: number; max: number; ticks: { value: number }[] }): void {
  const [first, second] = axis.ticks;
  const step = (second?.value ?? 0) - (first?.value ?? 0);
  if (!(step > 0) || !Number.isFinite(step)) return;
  const from = Math.ceil(axis.min / step - 1e-9);
  const to = Math.floor(axis.max / step + 1e-9);
  if (to - from < 1) return;
  const places = Array.from({ length: to - from + 1 }, (_, index) => from + index);
  axis.ticks = places.map((place) => ({ value: Number((place * step).toPrecision(12)) + 0 }));
}

/** One axis as Chart.js takes it. */
export function scale(axis: Axis, look: Look, side?: "right") {
  const count = axis.categories?.length ?? 0;
  const log = isLog(axis) && !count;
  const type: "linear" | "logarithmic" = log ? "logarithmic" : "linear";
  return {
    type,
    grace: 0,
    ...(side ? { position: side } : {}),
    ...(count ? { min: -0.5, max: count - 0.5, afterBuildTicks: placeTicks } : {}),
    ...(count || log ? {} : { afterBuildTicks: evenTicks }),
    border: { color: look.muted },
    grid: {
      color: look.rule,
      tickColor: look.muted,
      tickLength: 6,
      drawOnChartArea: !side && !count,
      drawTicks: !count,
    },
    title: {
      display: axis.label !== "",
      text: axisTitle(axis),
      color: look.muted,
      font: { family: look.font, size: 12 },
    },
    ticks: {
      color: look.muted,
      font: { family: look.font, size: 11 },
      // Words may lean; numbers do not have to.
      maxRotation: count ? 60 : 0,
      autoSkipPadding: count ? 4 : 12,
      ...(log
        ? {}
        : { includeBounds: false, maxTicksLimit: count ? Math.max(count, 2) : look.narrow ? 6 : 11 }),
      callback: (value: string | number, _index: number, ticks: readonly { value: number }[]) => {
        const step = (ticks[1]?.value ?? 0) - (ticks[0]?.value ?? 0);
        return log ? logTick(Number(value), ticks) : placeWords(axis, Number(value), step);
      },
    },
  };
}
