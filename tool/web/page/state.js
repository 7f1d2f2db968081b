/* SPDX-License-Identifier: Apache-2.0 */
/*
 * state.js - what is looked at, one for all views, and in the address
 *
 * Every part is a text, so that a link leads to what was seen.
 */

const DEFAULTS = {
  view: "overview",
  figure: "",     // key of a figure; "" is the first that is not all zero
  from: "", to: "",  // numbers of instants, "" for all of the time
  find: "",       // a regular expression, to be seen
  only: "",       // stacks with a call like it
  without: "",    // no stacks with a call like it
  kind: "all",    // or heap or maps
  fold: "yes",    // wrappers go to their callers
  lines: "no",    // calls of other lines are apart
  inverted: "no", // the innermost call first
  up: "no",       // the root below, as a flame
  zoom: "",       // path of texts from the root
  sort: "",       // column of the table
  by: "module",   // the treemap's
};

const state = { ...DEFAULTS };
const listeners = [];

function readAddress() {
  Object.assign(state, DEFAULTS);
  for (const [key, value] of new URLSearchParams(location.hash.slice(1))) {
    if (key in DEFAULTS)
      state[key] = value;
  }
}

function address() {
  const said = Object.entries(state)
    .filter(([key, value]) => value !== DEFAULTS[key]);
  return `#${new URLSearchParams(said)}`;
}

export function get(key) {
  return state[key];
}

/* Set parts, and tell all views. `isStep`: the browser can go back. */
export function set(parts, isStep = false) {
  Object.assign(state, parts);
  if (isStep)
    history.pushState(null, "", address());
  else
    history.replaceState(null, "", address());
  tell();
}

export function subscribe(listener) {
  listeners.push(listener);
}

export function tell() {
  for (const listener of listeners)
    listener();
}

export function begin() {
  readAddress();
  window.addEventListener("hashchange", () => {
    readAddress();
    tell();
  });
  window.addEventListener("popstate", () => {
    readAddress();
    tell();
  });
}
