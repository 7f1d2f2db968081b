/* SPDX-License-Identifier: Apache-2.0 */
/* patterns.js - regular expressions that people type */

/* What is typed; if it is no regular expression, as it stands. */
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
