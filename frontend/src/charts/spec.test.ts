import { expect, test } from "vitest";
import { parseSpec, viewOf } from "./spec";
import { specOf } from "./testing";

const cells = { key: "read", label: "Read", role: "cells" as const, x: [0, 1], y: [0, 0], z: [90, 91] };
const line = { key: "line", label: "At 0 %", role: "line" as const, x: [0, 1], y: [90, 91] };

test("a heat map without what its colours say is refused with its name", () => {
  const { z: _z, ...blind } = cells;
  expect(() => parseSpec(specOf({ series: [blind] }))).toThrow(/"read" has 2 x and 0 z/);
});

test("a role that no picture knows is refused", () => {
  const odd = { ...line, role: "pie" };
  expect(() => parseSpec({ ...specOf({}), series: [odd] })).toThrow(/role "pie"/);
});

test("coordinates of a mark that were left out are none", () => {
  const sent = { ...specOf({}), marks: [{ label: "STM", x: 47 }] };
  expect(parseSpec(sent).marks).toEqual([{ label: "STM", x: 47, y: null }]);
});

const spec = specOf({
  shape: "surface",
  series: [cells, line],
  views: [
    { key: "map", label: "Map", series: ["read"] },
    {
      key: "lines",
      label: "Lines",
      series: ["line"],
      shape: "curve",
      x: { label: "Size", unit: "MB", scale: "log" },
    },
  ],
});

test("the first view is shown until another is chosen", () => {
  expect(viewOf(spec).series.map((one) => one.key)).toEqual(["read"]);
  expect(viewOf(spec).shape).toBe("surface");
});

test("a view brings its own shape and axis and takes the others from the chart", () => {
  const seen = viewOf(spec, "lines");
  expect(seen).toMatchObject({ shape: "curve", x: { unit: "MB" }, y: spec.y });
  expect(seen.series.map((one) => one.key)).toEqual(["line"]);
});

test("a chart without views is its own picture", () => {
  const plain = specOf({});
  expect(viewOf(plain, "lines")).toBe(plain);
});
