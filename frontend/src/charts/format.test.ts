import { expect, test } from "vitest";
import { axisTitle, fade, formatNumber, formatTick, formatWithUnit } from "./format";
import { parseSpec } from "./spec";
import { specOf } from "./testing";

test("numbers have five significant digits and thin spaces between thousands", () => {
  expect(formatNumber(8.333333)).toBe("8.3333");
  expect(formatNumber(131072)).toBe("131\u202f072");
  expect(formatNumber(1234567)).toBe("1\u202f234\u202f567");
});

test("ticks of large counts are short", () => {
  expect(formatTick(120_000)).toBe("120k");
  expect(formatTick(17_000_000)).toBe("17M");
  expect(formatTick(2.5e12)).toBe("2.5T");
  expect(formatTick(9_500)).toBe("9500");
  expect(formatTick(0)).toBe("0");
});

test("ticks that stand close together differ in their words", () => {
  expect([11.107, 11.1075, 11.108].map((value) => formatTick(value, 0.0005))).toEqual([
    "11.1070",
    "11.1075",
    "11.1080",
  ]);
  expect([0, 5_000, 10_000].map((value) => formatTick(value, 5_000))).toEqual(["0", "5k", "10k"]);
  expect([18_000, 20_000].map((value) => formatTick(value, 2_000))).toEqual(["18k", "20k"]);
  expect([5_400_500, 5_401_000].map((value) => formatTick(value, 500))).toEqual(["5.4005M", "5.4010M"]);
});

test("a colour is made translucent although the build has shortened it", () => {
  expect(fade("#fff", 0.9)).toBe("#ffffffe6");
  expect(fade("#0067a8", 0)).toBe("#0067a800");
  expect(fade("white", 0.5)).toBe("white");
});

test("a bare count has no unit", () => {
  const axis = { label: "Surface", unit: "1", scale: "linear" };
  expect(formatWithUnit(18, axis)).toBe("18");
  expect(axisTitle(axis)).toBe("Surface");
});

test("columns of different length are refused with both lengths", () => {
  const series = [{ key: "a", label: "A", role: "points", x: [1, 2], y: [1] }];
  expect(() => parseSpec({ ...specOf({}), series })).toThrow(/"a" has 2 x and 1 y/);
});

test("a role that no picture knows is refused by name", () => {
  const series = [{ key: "a", label: "A", role: "cloud", x: [], y: [] }];
  expect(() => parseSpec({ ...specOf({}), series })).toThrow(/"cloud"/);
});

test("what is no chart at all is refused", () => {
  expect(() => parseSpec(null)).toThrow(/no series/);
  expect(() => parseSpec({ type: "/problems/not-found/" })).toThrow(/no series/);
});
