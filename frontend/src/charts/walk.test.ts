import { expect, test } from "vitest";
import { walk } from "./walk";

const rows = [
  { visible: true, x: [0, 20, 10] },
  { visible: false, x: [0, 1] },
  { visible: true, x: [9, 21] },
];

test("the first key begins at the first point along x, End at the last", () => {
  expect(walk(rows, undefined, "ArrowRight")).toEqual({ series: 0, index: 0 });
  expect(walk(rows, undefined, "End")).toEqual({ series: 0, index: 1 });
});

test("left and right walk along x whatever order the points came in, and stop at the ends", () => {
  expect(walk(rows, { series: 0, index: 0 }, "ArrowRight")).toEqual({ series: 0, index: 2 });
  expect(walk(rows, { series: 0, index: 2 }, "ArrowRight")).toEqual({ series: 0, index: 1 });
  expect(walk(rows, { series: 0, index: 1 }, "ArrowRight")).toEqual({ series: 0, index: 1 });
  expect(walk(rows, { series: 0, index: 0 }, "ArrowLeft")).toEqual({ series: 0, index: 0 });
});

test("up and down go to the nearest point of the next series that is shown", () => {
  expect(walk(rows, { series: 0, index: 1 }, "ArrowDown")).toEqual({ series: 2, index: 1 });
  expect(walk(rows, { series: 0, index: 2 }, "ArrowUp")).toEqual({ series: 2, index: 0 });
});

test("who stands on a series that was hidden begins again on one that is shown", () => {
  expect(walk(rows, { series: 1, index: 1 }, "ArrowRight")).toEqual({ series: 0, index: 0 });
});

test("nothing is walked where nothing is shown, nor by another key", () => {
  expect(walk([{ visible: false, x: [1] }], undefined, "ArrowRight")).toBeUndefined();
  expect(walk([], undefined, "ArrowRight")).toBeUndefined();
  expect(walk(rows, { series: 0, index: 0 }, "a")).toBeUndefined();
});

test("page keys leap a tenth of the series", () => {
  const long = [{ visible: true, x: Array.from({ length: 200 }, (_, index) => index) }];
  expect(walk(long, { series: 0, index: 50 }, "PageDown")).toEqual({ series: 0, index: 70 });
});
