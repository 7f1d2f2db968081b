/* SPDX-License-Identifier: Apache-2.0 */
/* tooltip.js - values at the pointer, beside it */
import { make } from "./elements.js";

const GAP = 14;
const tip = make("div", { class: "tip", "aria-hidden": "true", hidden: true });

/* Show a title, rows of a name, a value and perhaps a colour, and a hint. */
export function showTip(event, title, rows, hint = "") {
  if (!tip.isConnected)
    document.body.append(tip);
  tip.replaceChildren(make("b", {}, title), make("dl", {},
    ...rows.flatMap(([name, value, color]) => [
      make("dt", { style: { borderColor: color ?? "transparent" } }, name),
      make("dd", {}, value)])), make("small", {}, hint));
  tip.hidden = false;
  const beside = (at, size, room) => `${at + GAP + size < room ? at + GAP :
    Math.max(at - GAP - size, 0)}px`;
  tip.style.left = beside(event.clientX, tip.offsetWidth, innerWidth);
  tip.style.top = beside(event.clientY, tip.offsetHeight, innerHeight);
}

export function hideTip() {
  tip.hidden = true;
}
