import { DASHES, OTHERS, pick, STYLES, type Stroke } from "./common";
import type { Look, Series } from "./spec";

/** How series that stand beside each other are told apart: by colour, by form, and lines by dashes. */
export function beside(look: Look, joined = false) {
  return (series: Series, index: number): Stroke => {
    if (series.role === "faint" || series.role === "spread") return { color: pick(look.series, 0) };
    if (series.role === "band") return { color: pick(look.series, 1), width: 0, order: 3 };
    const style = { color: pick(look.series, index + 1), dash: pick(DASHES, index) };
    if (series.role === "points") {
      return { ...style, style: pick(STYLES, index), order: 2, joined, width: 1.5 };
    }
    return { ...style, width: 2, order: 1 };
  };
}

/**
 * How what was measured is told from what was fitted to it: grey points under coloured lines of one form
 * each.
 */
export function fitted(look: Look) {
  return (series: Series, index: number): Stroke => {
    if (series.role === "faint" || series.role === "spread") return { color: pick(look.series, OTHERS) };
    if (series.role === "points") {
      return {
        color: index === 0 ? pick(look.series, 0) : pick(look.series, index + 3),
        style: pick(STYLES, index),
        order: 2,
      };
    }
    return beside(look)(series, index);
  };
}
