import type { Axis } from "./spec";

/** Four digits are read as they are, and a year is not grouped. */
const useGrouping = "min2";

const SIGNIFICANT = new Intl.NumberFormat("en", { maximumSignificantDigits: 5, useGrouping });

const WHOLE = new Intl.NumberFormat("en", { maximumFractionDigits: 0, useGrouping });

/** A number for a person: five significant digits, and all of those before the point; thousands grouped. */
export function formatNumber(value: number): string {
  const format = Math.abs(value) >= 1e5 ? WHOLE : SIGNIFICANT;
  return format.format(value).replaceAll(",", "\u202f");
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

/** How many digits behind the point tell two ticks apart that are a step from each other. */
function decimalsOf(step: number): number {
  for (let digits = 0; digits < 12; digits++) {
    const scaled = step * 10 ** digits;
    if (Math.abs(scaled - Math.round(scaled)) < 1e-6 * scaled) return digits;
  }
  return 12;
}

/**
 * A number with as many digits as tell it from its neighbours, a step away; without a step five significant
 * ones.
 */
function apart(value: number, step: number): string {
  if (!(step > 0)) return formatNumber(value);
  const digits = decimalsOf(step);
  const format = new Intl.NumberFormat("en", {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
    useGrouping,
  });
  return format.format(value).replaceAll(",", "\u202f");
}

/**
 * A tick: large counts are shortened (120 000 -> 120k), so that a narrow axis holds them. Ticks that are a
 * `step` from each other never have the same words; where they are thousands apart, all of them are in
 * thousands.
 */
export function formatTick(value: number, step = 0): string {
  const magnitude = Math.abs(value);
  for (const [size, letter] of STEPS) {
    if (magnitude >= (letter === "k" && step >= 1e3 ? 1e3 : size)) {
      const divisor = letter === "k" ? 1e3 : size;
      return `${apart(value / divisor, step / divisor)}${letter}`;
    }
  }
  return apart(value, step);
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
