/* SPDX-License-Identifier: Apache-2.0 */
/* live.js - the data: in the page, or from the server that it came from */
import { readPage } from "./data.js";

function embedded() {
  const text = atob(document.getElementById("data").textContent);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

export const isServed = () =>
  document.getElementById("data").textContent === "";

export async function load(tell) {
  if (!isServed()) return readPage(embedded(), tell);
  const answer = await fetch(`data${location.search}`);
  if (!answer.ok) throw new Error(await answer.text());
  return readPage(await answer.arrayBuffer(), tell);
}

/* Call `update` with new data, and `say` with "live", "lost", or as serve.h has
   them "away" or "ended". Returns what pauses, or goes on. A page that is not
   seen listens to nothing: a browser has six connections to one server. */
export function follow(update, say) {
  let isPaused = false, isBusy = false, isStale = false, hasEnded = false;
  let events = null;
  async function refresh() {
    isStale = true;
    while (isStale && !isPaused && !isBusy) {
      isStale = false;
      isBusy = true;
      await load().then(update).catch(() => say("lost"));
      isBusy = false;
    }
  }
  function listen() {
    events?.close();
    if (document.hidden || hasEnded) return;
    events = new EventSource(`events${location.search}`);
    events.onopen = () => say("live");
    events.onerror = () => say("lost");
    events.onmessage = () => {
      say("live");
      refresh();
    };
    events.addEventListener("away", () => say("away"));
    events.addEventListener("end", () => {
      hasEnded = true;
      events.close();
      say("ended");
    });
  }
  document.addEventListener("visibilitychange", () => {
    listen();
    if (!document.hidden && !hasEnded) refresh();
  });
  listen();
  return () => {
    isPaused = !isPaused;
    if (!isPaused && isStale) refresh();
    return isPaused;
  };
}
