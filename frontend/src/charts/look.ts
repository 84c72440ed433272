import type { Look } from "./spec";

const SERIES_COUNT = 8;
const RAMP_COUNT = 6;
const NARROW_PX = 560;

function reader(): (name: string) => string {
  const style = getComputedStyle(document.documentElement);
  return (name) => style.getPropertyValue(name).trim();
}

/** What the system draws in where it forces its own colours: a canvas does not get them by itself. */
function systemColor(name: string): string {
  const probe = document.createElement("span");
  probe.style.setProperty("color", name);
  probe.style.setProperty("forced-color-adjust", "none");
  document.body.append(probe);
  const color = getComputedStyle(probe).color;
  probe.remove();
  const parts = color.match(/\d+/g)?.slice(0, 3) ?? [];
  return `#${parts.map((part) => Number(part).toString(16).padStart(2, "0")).join("")}`;
}

function forced(): Partial<Look> {
  const [ink, surface, accent, link] = ["CanvasText", "Canvas", "Highlight", "LinkText"].map(systemColor) as [
    string,
    string,
    string,
    string,
  ];
  const muted = systemColor("GrayText");
  return { ink, surface, accent, muted, rule: muted, series: [ink, link, ink, link, ink, link, ink, link] };
}

/** Reads the page's colours from its style sheet, so that the tokens stand in one place. */
export function lookOf(box: HTMLElement): Look {
  const token = reader();
  const list = (name: string, count: number) =>
    Array.from({ length: count }, (_, index) => token(`--${name}-${index + 1}`));
  return {
    ink: token("--ink"),
    muted: token("--ink-muted"),
    rule: token("--rule"),
    surface: token("--surface"),
    accent: token("--accent"),
    series: list("series", SERIES_COUNT),
    ramp: list("ramp", RAMP_COUNT).map((color) => color.replace(/^#(.)(.)(.)$/, "#$1$1$2$2$3$3")),
    font: token("--font-chart"),
    gestures: matchMedia("(pointer: fine)").matches,
    narrow: box.clientWidth < NARROW_PX,
    ...(matchMedia("(forced-colors: active)").matches ? forced() : {}),
  };
}
