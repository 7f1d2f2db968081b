/* SPDX-License-Identifier: Apache-2.0 */
/* data.js - the page's data, unpacked: docs/page-format.md */

const VERSION = 1;

async function unpack(packed) {
  const stream = new Blob([packed]).stream()
    .pipeThrough(new DecompressionStream("gzip"));
  try {
    return new Uint8Array(await new Response(stream).arrayBuffer());
  } catch {
    throw new Error("its data end too soon");
  }
}

/* Varints of one column, and where the next one begins. Numbers of more than
   2^53 are rounded, as all numbers of a script are. */
function readColumn(bytes, start, column) {
  const values = new Float64Array(column.count);
  let at = start, last = 0;
  for (let i = 0; i < column.count; i++) {
    let byte = bytes[at++], bits = byte & 0x7f, scale = 128;
    while (byte & 0x80) {
      byte = bytes[at++];
      bits += (byte & 0x7f) * scale;
      scale *= 128;
    }
    const half = Math.floor(bits / 2);
    let value = bits % 2 === 1 ? -half - 1 : half;
    if (column.delta)
      value += last;
    values[i] = last = value;
  }
  if (at > bytes.length)
    throw new Error("it ends too soon");
  return [values, at];
}

/* No character hides or turns round what stands beside it. */
function visible(text) {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (one) =>
    `\\u{${one.codePointAt(0).toString(16)}}`);
}

/* The head, with `columns` by name. */
export async function readPage(packed) {
  const bytes = await unpack(packed);
  const end = bytes.indexOf(10);
  const head = JSON.parse(new TextDecoder().decode(bytes.subarray(0, end)),
    (_, value) => typeof value === "string" ? visible(value) : value);
  if (head.format !== "tally page" || head.version !== VERSION)
    throw new Error(`it is of version ${head.version}, not ${VERSION}`);
  const columns = {};
  let at = end + 1;
  for (const column of head.columns)
    [columns[column.name], at] = readColumn(bytes, at, column);
  head.columns = columns;
  return head;
}
