import { expect, it } from "vitest";
import { queryOf } from "./refine";

it("leaves fields out that say nothing", () => {
  const pairs: [string, string][] = [
    ["q", ""],
    ["vendor", "seagate"],
    ["vendor", "ibm"],
    ["sort", "-outer"],
  ];
  expect(queryOf(pairs)).toBe("vendor=seagate&vendor=ibm&sort=-outer");
});
