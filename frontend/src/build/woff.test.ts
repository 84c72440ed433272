import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { sfntOf } from "./woff";

const font = new URL(
  "../../node_modules/@fontsource/ibm-plex-sans/files/ibm-plex-sans-latin-400-normal.woff",
  import.meta.url,
);

/** A table's checksum: the sum of its words (OpenType, "Calculating checksums"). */
function checksum(table: Uint8Array): number {
  const padded = new Uint8Array(Math.ceil(table.length / 4) * 4);
  padded.set(table);
  const words = new DataView(padded.buffer);
  let sum = 0;
  for (let at = 0; at < padded.length; at += 4) {
    sum = (sum + words.getUint32(at)) >>> 0;
  }
  return sum;
}

test("each table that is unpacked has its checksum", () => {
  const made = sfntOf(readFileSync(font));
  const view = new DataView(made.buffer);
  const tables = Array.from({ length: view.getUint16(4) }, (_, index) => {
    const [tag, stated, offset, length] = [0, 4, 8, 12].map((part) => view.getUint32(12 + 16 * index + part));
    return { tag, stated, data: made.subarray(offset, (offset ?? 0) + (length ?? 0)) };
  });
  // `head` holds the sum of the whole font, which is no part of its own.
  const others = tables.filter(({ tag }) => tag !== 0x68656164);
  expect(others.length).toBeGreaterThan(8);
  expect(others.map(({ data }) => checksum(data))).toEqual(others.map(({ stated }) => stated));
});

test("bytes that are no WOFF are refused", () => {
  expect(() => sfntOf(new Uint8Array(64))).toThrow("no WOFF font");
  expect(() => sfntOf(new Uint8Array(3))).toThrow("no WOFF font");
});
