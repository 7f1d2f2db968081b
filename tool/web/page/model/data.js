/* SPDX-License-Identifier: Apache-2.0 */
/* data.js - the page's data, unpacked: docs/page-format.md */

const VERSION = 3, UNITS = ["blocks", "bytes"];

async function unpack(packed) {
  const stream = new Blob([packed]).stream()
    .pipeThrough(new DecompressionStream("gzip"));
  try {
    return new Uint8Array(await new Response(stream).arrayBuffer());
  } catch {
    throw new Error("truncated data");
  }
}

/* Columns of numbers of other columns' rows. */
const POINTS = /^(node|name)\.|^end\.node$|^(change|life)\.end$/;

/* Return the varints of a column, rounded beyond 2^53, and the next's begin. */
function readColumn(bytes, start, column) {
  const values = new Float64Array(column.count);
  let at = start, last = 0;
  for (let i = 0; i < column.count; i++) {
    let byte = 0x80, bits = 0;
    for (let scale = 1; byte & 0x80; scale *= 128) {
      byte = bytes[at++];
      bits += (byte & 0x7f) * scale;
    }
    const half = Math.floor(bits / 2);
    last = (bits % 2 === 1 ? -half - 1 : half) + (column.delta ? last : 0);
    values[i] = last;
  }
  if (at > bytes.length) throw new Error("truncated");
  return [POINTS.test(column.name) ? new Int32Array(values) : values, at];
}

/* Nodes are in the order of a walk. */
function findParents(columns) {
  const out = columns["node.out"], parents = new Int32Array(out.length);
  for (let i = 1; i < out.length; i++) {
    let at = i - 1;
    for (let steps = out[i]; steps > 0 && at > 0; steps--) at = parents[at];
    parents[i] = at;
  }
  return parents;
}

/* Add changes to figures, and to bytes the blocks of the mean size. */
function addWhatFollows(columns) {
  const sizes = columns["end.size"], ends = columns["change.end"];
  for (const of of ["live-", "peak-", "total-", "change.", "change.freed-"]) {
    const isChange = of.startsWith("change");
    const blocks = columns[`${of}blocks`], bytes = columns[`${of}bytes`];
    bytes?.forEach((rest, i) => {
      bytes[i] = rest + blocks[i] * sizes[isChange ? ends[i] : i];
    });
  }
  for (const figure of ["live", "total"]) {
    for (const unit of `${figure}-bytes` in columns ? UNITS : []) {
      const values = columns[`${figure}-${unit}`];
      const made = columns[`change.${unit}`];
      const freed = columns[`change.freed-${unit}`];
      ends.forEach((end, i) => {
        values[end] += made[i] - (figure === "live" ? freed[i] : 0);
      });
    }
  }
}

/* No character hides or turns round what stands beside it. */
const visible = (text) => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (one) =>
  `\\u{${one.codePointAt(0).toString(16)}}`);

/* The head, with `columns` by name; `tell` waits and is told the part read. */
export async function readPage(packed, tell) {
  const bytes = await unpack(packed);
  const end = bytes.indexOf(10);
  const head = JSON.parse(new TextDecoder().decode(bytes.subarray(0, end)),
    (_, value) => typeof value === "string" ? visible(value) : value);
  if (head.format !== "tally page" || head.version !== VERSION)
    throw new Error(`version ${head.version} instead of ${VERSION}`);
  const columns = {};
  let at = end + 1;
  for (const column of head.columns) {
    [columns[column.name], at] = readColumn(bytes, at, column);
    await tell?.(at / bytes.length);
  }
  columns["node.parent"] = findParents(columns);
  addWhatFollows(columns);
  head.columns = columns;
  return head;
}
