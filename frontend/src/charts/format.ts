import type { Axis } from "./spec";

const SIGNIFICANT = new Intl.NumberFormat("en", { maximumSignificantDigits: 5 });

/** A number for a person: five significant digits, thousands grouped. */
export function formatNumber(value: number): string {
  return SIGNIFICANT.format(value).replaceAll(",", "\u202f");
}

/** A number with its axis' unit; the unit `1` means a bare count. */
export function formatWithUnit(value: number, axis: Axis): string {
  return axis.unit === "" || axis.unit === "1"
    ? formatNumber(value)
    : `${formatNumber(value)}\u00a0${axis.unit}`;
}

const STEPS: readonly (readonly [number, string])[] = [
  [1e12, "T"],
  [1e9, "G"],
  [1e6, "M"],
  [1e4, "k"],
];

/** A tick: large counts are shortened (120 000 -> 120k), so that a narrow axis holds them. */
export function formatTick(value: number): string {
  const magnitude = Math.abs(value);
  for (const [size, letter] of STEPS) {
    if (magnitude >= size) {
      const divisor = letter === "k" ? 1e3 : size;
      return `${SIGNIFICANT.format(value / divisor)}${letter}`;
    }
  }
  return formatNumber(value);
}

const SHORT_HEX = /^#([\da-f])([\da-f])([\da-f])$/i;

/** A colour of the style sheet, made translucent; the build may have shortened `#ffffff` to `#fff`. */
export function fade(color: string, alpha: number): string {
  const full = color.replace(SHORT_HEX, "#$1$1$2$2$3$3");
  const digits = Math.round(alpha * 255)
    .toString(16)
    .padStart(2, "0");
  return /^#[\da-f]{6}$/i.test(full) ? full + digits : color;
}

/** The words along an axis: what it shows and in which unit. */
export function axisTitle(axis: Axis): string {
  return axis.unit === "" || axis.unit === "1" ? axis.label : `${axis.label} (${axis.unit})`;
}
