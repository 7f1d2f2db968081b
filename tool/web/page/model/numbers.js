/* SPDX-License-Identifier: Apache-2.0 */
/* numbers.js - amounts as tally report writes them */

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];

export function bytes(value) {
  const sign = value < 0 ? "-" : "";
  let unit = 0, size = Math.abs(value);
  for (; size >= 1024 && unit < UNITS.length - 1; unit++) size /= 1024;
  return `${sign}${size.toFixed(unit === 0 ? 0 : 1)} ${UNITS[unit]}`;
}

export const greatest = (values) => values.reduce((a, b) => Math.max(a, b), 0);

export const count = (value) => (Math.round(value) + 0).toLocaleString("en-US");

export const percent = (part, whole) =>
  `${(whole > 0 ? (part / whole) * 100 : 0).toFixed(1)} %`;

export function seconds(ns) {
  const all = ns / 1e9;
  if (all < 1) return `${Math.round(all * 1000)} ms`;
  if (all < 120) return `${all.toFixed(1)} s`;
  if (all < 7200)
    return `${Math.floor(all / 60)} min ${Math.floor(all % 60)} s`;
  return `${Math.floor(all / 3600)} h ${Math.floor((all / 60) % 60)} min`;
}

/* A time since the start or, where there are none, which event it is. */
export const moment = ({ has_times: hasTimes }, at) =>
  hasTimes ? seconds(at) : `event ${count(at + 1)}`;

/* In the unit of a figure, to read and to the unit. */
export const amount = (figure, value) =>
  figure.unit === "bytes" ? bytes(value) :
    `${count(value)} ${Math.abs(value) === 1 ? "block" : "blocks"}`;

/* With the interval of an estimate, unless that is null. */
export const exactly = (figure, value, interval = null) =>
  (figure.unit === "bytes" ? `${count(value)} bytes` :
    amount(figure, value)) + (interval === null ? "" :
    `, by samples ${amount(figure, interval[0])} to ` +
    amount(figure, interval[1]));

/* Changes either way have no share of their sum. */
export const share = ({ key }, part, whole) =>
  key === "growth" ? "" : percent(part, whole);

export const signed = (text, value) => value > 0 ? `+${text}` : text;
