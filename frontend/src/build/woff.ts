import { inflateSync } from "node:zlib";

const WOFF_HEADER = 44;
const WOFF_ENTRY = 20;
const SFNT_HEADER = 12;
const SFNT_ENTRY = 16;

/**
 * Unpacks a WOFF font to the plain one in it, which programs outside a browser read.
 *
 * WOFF File Format 1.0 (W3C Recommendation, 2012), sections 3 to 5: each table is packed by zlib, or stands
 * as it is where that would not make it smaller. Throws where the bytes are no such font.
 */
export function sfntOf(woff: Uint8Array): Uint8Array {
  const given = new DataView(woff.buffer, woff.byteOffset, woff.byteLength);
  if (woff.byteLength < WOFF_HEADER || given.getUint32(0) !== 0x774f4646) {
    throw new Error("This is no WOFF font: it does not begin with wOFF.");
  }
  const count = given.getUint16(12);
  const tables = Array.from({ length: count }, (_, index) => {
    const at = WOFF_HEADER + WOFF_ENTRY * index;
    const [tag, offset, packed, length, checksum] = [0, 4, 8, 12, 16].map((part) =>
      given.getUint32(at + part),
    ) as [number, number, number, number, number];
    const bytes = woff.subarray(offset, offset + packed);
    return { tag, checksum, data: packed < length ? new Uint8Array(inflateSync(bytes)) : bytes };
  });
  const directory = SFNT_HEADER + SFNT_ENTRY * count;
  const made = new Uint8Array(tables.reduce((end, table) => end + padded(table.data.length), directory));
  const out = new DataView(made.buffer);
  const power = 2 ** Math.floor(Math.log2(count));
  out.setUint32(0, given.getUint32(4));
  out.setUint16(4, count);
  out.setUint16(6, power * SFNT_ENTRY);
  out.setUint16(8, Math.log2(power));
  out.setUint16(10, (count - power) * SFNT_ENTRY);
  let offset = directory;
  tables.forEach(({ tag, checksum, data }, index) => {
    const at = SFNT_HEADER + SFNT_ENTRY * index;
    [tag, checksum, offset, data.length].forEach((value, part) => {
      out.setUint32(at + 4 * part, value);
    });
    made.set(data, offset);
    offset += padded(data.length);
  });
  return made;
}

const padded = (length: number): number => Math.ceil(length / 4) * 4;
