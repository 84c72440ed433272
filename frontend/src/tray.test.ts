import { describe, expect, it } from "vitest";
import { comparison, type Gathered, gatheredOf, MOST, toggled } from "./tray";

const one = (key: string): Gathered => ({ key, title: key.toUpperCase() });

describe("tray", () => {
  it("reads what was stored, and nothing out of what is none of its own", () => {
    expect(gatheredOf(JSON.stringify([one("a"), { key: 1 }, null, { title: "x" }]))).toEqual([one("a")]);
    for (const text of [null, "", "{}", "[", '"a"']) expect(gatheredOf(text)).toEqual([]);
  });

  it("takes a model in and out again, and no more than a comparison holds", () => {
    expect(toggled([one("a")], one("b"))).toEqual([one("a"), one("b")]);
    expect(toggled([one("a"), one("b")], one("a"))).toEqual([one("b")]);
    const full = Array.from({ length: MOST }, (_, place) => one(`k${place}`));
    expect(toggled(full, one("more"))).toEqual(full);
  });

  it("leads to the comparison of all", () => {
    expect(comparison([one("a-1"), one("b")])).toBe("/compare/?d=a-1&d=b");
  });
});
