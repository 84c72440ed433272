import { expect, test } from "vitest";
import { csvOf } from "./csv";
import { specOf } from "./testing";

test("a file has a line for each point, and only columns that a series has", () => {
  const series = [
    { key: "box", label: "Median, quartiles", role: "box" as const, x: [0], y: [2], q1: [1], q3: [3] },
    { key: "units", label: "Units", role: "points" as const, x: [0.1, 1], y: [1.5, 4] },
  ];
  const x = { label: "Batch", unit: "", scale: "linear", categories: ["2012-W31", 'the "late" one'] };
  expect(csvOf(specOf({ x, series })).split("\r\n")).toEqual([
    "series,x,y,q1,q3",
    '"Median, quartiles",2012-W31,2,1,3',
    "Units,2012-W31,1.5,,",
    'Units,"the ""late"" one",4,,',
    "",
  ]);
});
