import { describe, expect, it } from "vitest";
import { asked, moved, suggestionsOf } from "./suggest";

describe("moving through suggestions", () => {
  it("goes from the field to the first, on to the last, and back to the field", () => {
    const places = [0, 1, 2].reduce<number[]>(
      (seen) => [...seen, moved(seen.at(-1) ?? -1, 2, "ArrowDown")],
      [],
    );
    expect(places).toEqual([0, 1, -1]);
  });

  it("goes up from the field to the last", () => {
    expect(moved(-1, 3, "ArrowUp")).toBe(2);
    expect(moved(0, 3, "ArrowUp")).toBe(-1);
  });

  it("stays in the field where nothing is offered", () => {
    expect(moved(-1, 0, "ArrowDown")).toBe(-1);
  });
});

describe("reading an answer", () => {
  it("takes suggestions that lead to this site and leaves everything else out", () => {
    const good = { kind: "drive", label: "Sample", detail: "", url: "/drives/sample/" };
    const answer = {
      suggestions: [good, { label: "x", url: "https://other.example/" }, null, 3, { url: "/a" }],
    };
    expect(suggestionsOf(answer)).toEqual([good]);
  });

  it("takes an answer of another form for none", () => {
    for (const answer of [null, 3, [], {}, { suggestions: "no" }]) expect(suggestionsOf(answer)).toEqual([]);
  });
});

describe("asking for suggestions", () => {
  it("keeps what the address says already", () => {
    expect(asked("/drives/suggest/", "hd 1")).toBe("/drives/suggest/?q=hd%201");
    expect(asked("/compare/suggest/?d=a~fw:S1", "hd")).toBe("/compare/suggest/?d=a~fw:S1&q=hd");
  });
});
