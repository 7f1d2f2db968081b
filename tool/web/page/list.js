/* SPDX-License-Identifier: Apache-2.0 */
/* list.js - keep the rows of tally serve new, and the focus on its link */
const PAUSE_MS = 2000;

async function renew() {
  const rows = document.querySelector("tbody");
  const focused = document.activeElement?.getAttribute("href");
  const status = document.querySelector("[role=status]");
  try {
    const text = await (await fetch(location.href)).text();
    const fresh = new DOMParser().parseFromString(text, "text/html");
    rows.replaceWith(fresh.querySelector("tbody"));
    [...document.querySelectorAll("tbody a")]
      .find((link) => link.getAttribute("href") === focused)?.focus();
    status.textContent = "";
  } catch {
    status.textContent ||=
      `No answer since ${new Date().toLocaleTimeString()}.`;
  }
  setTimeout(renew, PAUSE_MS);
}

performance.mark("tally-ready");
setTimeout(renew, PAUSE_MS);
