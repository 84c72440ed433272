import { expect, test } from "vitest";
import { ringAfter } from "./platter";

test("arrow keys walk along the rings and stop at the ends", () => {
  expect(ringAfter("ArrowDown", 0, 3)).toBe(1);
  expect(ringAfter("ArrowUp", 0, 3)).toBe(0);
  expect(ringAfter("ArrowRight", 2, 3)).toBe(2);
  expect(ringAfter("End", 0, 3)).toBe(2);
  expect(ringAfter("Home", 2, 3)).toBe(0);
});

test("other keys are the page's", () => {
  expect(ringAfter("Tab", 1, 3)).toBeUndefined();
});
