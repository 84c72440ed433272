import { expect, test } from "vitest";
import { shownTheme, themeCookie } from "./theme";

test("the chosen theme wins over the system's", () => {
  expect(shownTheme("light", true)).toBe("light");
  expect(shownTheme("dark", false)).toBe("dark");
});

test("without a choice, or with a broken one, the system decides", () => {
  expect(shownTheme(undefined, true)).toBe("dark");
  expect(shownTheme("", false)).toBe("light");
  expect(shownTheme("purple", false)).toBe("light");
});

test("the choice is remembered for a year on the whole site", () => {
  expect(themeCookie("dark", false)).toBe("theme=dark; Path=/; Max-Age=31536000; SameSite=Lax");
  expect(themeCookie("dark", true)).toMatch(/; Secure$/);
});
