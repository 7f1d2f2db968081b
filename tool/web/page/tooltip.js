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
  const { offsetWidth: width, offsetHeight: height } = tip;
  const right = event.clientX + GAP, below = event.clientY + GAP;
  tip.style.left = `${right + width < innerWidth ? right :
    Math.max(event.clientX - GAP - width, 0)}px`;
  tip.style.top = `${below + height < innerHeight ? below :
    Math.max(event.clientY - GAP - height, 0)}px`;
}

export function hideTip() {
  tip.hidden = true;
}
