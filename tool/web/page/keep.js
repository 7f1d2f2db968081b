/* SPDX-License-Identifier: Apache-2.0 */
/* keep.js - what is seen, as a file: CSV of each view, PNG of the flame graph */
import { csv, make } from "./elements.js";
import * as state from "./model/state.js";

function save(suffix, blob, name = state.get("view")) {
  const link = make("a", { href: URL.createObjectURL(blob),
    download: `tally-${name}.${suffix}` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

export const keepCsv = (view, name) =>
  save("csv", new Blob([csv(view.rows())], { type: "text/csv" }), name);

export const keepPng = ({ canvas }) =>
  canvas.toBlob((blob) => save("png", blob));
