import type { Look } from "./spec";

const SERIES_COUNT = 8;
const NARROW_PX = 560;

/** Reads the page's colours from its style sheet, so that the tokens stand in one place. */
export function lookOf(box: HTMLElement): Look {
  const style = getComputedStyle(document.documentElement);
  const token = (name: string) => style.getPropertyValue(name).trim();
  return {
    ink: token("--ink"),
    muted: token("--ink-muted"),
    rule: token("--rule"),
    surface: token("--surface"),
    accent: token("--accent"),
    series: Array.from({ length: SERIES_COUNT }, (_, index) => token(`--series-${index + 1}`)),
    font: token("--font-chart"),
    gestures: matchMedia("(pointer: fine)").matches,
    narrow: box.clientWidth < NARROW_PX,
  };
}
