import { expect, test } from "vitest";
import { wrapped } from "./png";

const widthOf = (words: string) => words.length;

test("where the numbers come from is told in lines that fit the picture", () => {
  expect(wrapped("A: one drive; B: another", 13, widthOf)).toEqual(["A: one drive;", "B: another"]);
  expect(wrapped("", 13, widthOf)).toEqual([]);
});

test("a word longer than the picture keeps a line of its own", () => {
  expect(wrapped("run 01a2012d-471e-760f", 10, widthOf)).toEqual(["run", "01a2012d-471e-760f"]);
});
