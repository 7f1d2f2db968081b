/* SPDX-License-Identifier: Apache-2.0 */
/* patterns.js - regular expressions that people type */

const LONGEST = 10000;

/* Return the text that a pattern of literally() finds. */
export const plainText = (pattern) =>
  pattern.replace(/^\^|\\(\W)|\$$/g, "$1");

/* Return the typed regular expression; invalid ones match literally. No
   browser takes a much longer one: it matches a whole name. */
export function regularExpression(pattern) {
  if (pattern.length > LONGEST)
    return { test: (text) => text === plainText(pattern) };
  try {
    return new RegExp(pattern, "i");
  } catch {
    return new RegExp(literally(pattern), "i");
  }
}

export const literally = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/* Return the pattern of a text, or of a regular expression in slashes. */
export const soughtPattern = (text) =>
  /^\/(.+)\/$/.exec(text)?.[1] ?? literally(text);

/* Return the search that finds just this text. */
export const soughtExactly = (text) => `/^${literally(text)}$/`;
