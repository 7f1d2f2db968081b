/* SPDX-License-Identifier: Apache-2.0 */
/* patterns.js - regular expressions that people type */

/* Return the typed regular expression; invalid ones match literally. */
export function regularExpression(pattern) {
  try {
    return new RegExp(pattern, "i");
  } catch {
    return new RegExp(literally(pattern), "i");
  }
}

export function literally(text) {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
