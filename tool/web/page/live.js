/* SPDX-License-Identifier: Apache-2.0 */
/* live.js - the data: in the page, or from the server that it came from */
import { readPage } from "./data.js";

function embedded() {
  const said = document.getElementById("data").textContent
    .replace(/[^\w+/=]/g, "");
  const text = atob(said.slice(0, said.length & ~3)); /* it may be cut off */
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++)
    bytes[i] = text.charCodeAt(i);
  return bytes;
}

export function isServed() {
  return document.getElementById("data").textContent === "";
}

export async function load() {
  if (!isServed())
    return readPage(embedded());
  const answer = await fetch("data");
  if (!answer.ok)
    throw new Error(await answer.text());
  return readPage(await answer.arrayBuffer());
}

/* Call `update` with new data, and `end` once there will be no more. Returns
   what pauses, or goes on. */
export function follow(update, end) {
  let isPaused = false, isBusy = false, isStale = false;
  const events = new EventSource("events");
  async function refresh() {
    isStale = true;
    if (isPaused || isBusy)
      return;
    isBusy = true;
    try {
      while (isStale && !isPaused) {
        isStale = false;
        update(await load());
      }
    } finally {
      isBusy = false;
    }
  }
  events.onmessage = refresh;
  events.addEventListener("end", () => {
    events.close();
    end();
  });
  return () => {
    isPaused = !isPaused;
    if (!isPaused && isStale)
      refresh();
    return isPaused;
  };
}
