/* SPDX-License-Identifier: Apache-2.0 */
/* state.js - what all views look at, as texts in the address */
const DEFAULTS = {
  view: "overview",
  figure: "",     // key of a figure; "" is the first that is not all zero
  value: "",      // name of a compared value; "" is that of --value
  from: "", to: "",  // numbers of instants, "" for all of the time
  find: "",       // text to find, or /regular expression/
  only: "",       // a line each: include stacks with such a call
  without: "",    // a line each: exclude stacks with such a call
  pick: "",       // label of the selected function
  of: "",         // label of a function: its callees, or inverted its callers
  kind: "memory", // heap and mmap; or a kind of profile.js, or all
  fold: "yes",    // wrappers go to their callers
  lines: "no",    // calls of other lines are apart
  inverted: "no", // the innermost call first
  up: "no",       // root at bottom
  zoom: "",       // path of groups from the root
  sort: "",       // column of the table
  columns: "",    // all: more than fit
};

/* fields that Escape resets */
export const ALL = { find: "", only: "", without: "", of: "", zoom: "",
  pick: "", from: "", to: "" };

const state = { ...DEFAULTS };
let tell; // called after a change

export const get = (key) => state[key];

/* The values of several parts, as one text. */
export const all = (keys) => keys.map(get).join("\0");

export const lines = (key) => state[key].split("\n").filter(Boolean);

/* The lines of a part, and one more. */
export const withLine = (key, line) =>
  [...new Set([...lines(key), line])].join("\n");

export const usual = (key) => DEFAULTS[key];

export const is = (key) => state[key] === "yes";

/* Rename the state without telling a view. */
export function correct(parts, isStep = false) {
  Object.assign(state, parts);
  const said = Object.entries(state)
    .filter(([key, value]) => value !== DEFAULTS[key]);
  history[isStep ? "pushState" : "replaceState"](null, "",
    `#${new URLSearchParams(said)}`);
}

/* Set parts, and tell all views. `isStep`: the browser can go back. */
export function set(parts, isStep = false) {
  correct(parts, isStep);
  tell();
}

export function flip(key) {
  set({ [key]: is(key) ? "no" : "yes", zoom: "" }, true);
}

function readAddress() {
  const said = [...new URLSearchParams(location.hash.slice(1))]
    .filter(([key]) => Object.hasOwn(DEFAULTS, key));
  Object.assign(state, DEFAULTS, Object.fromEntries(said));
  tell();
}

export function begin(listener) {
  tell = listener;
  readAddress();
  window.addEventListener("hashchange", readAddress);
}
