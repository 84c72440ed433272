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

/** The words along an axis: what it shows and in which unit. */
export function axisTitle(axis: Axis): string {
  return axis.unit === "" || axis.unit === "1" ? axis.label : `${axis.label} (${axis.unit})`;
}
