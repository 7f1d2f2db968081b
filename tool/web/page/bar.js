/* SPDX-License-Identifier: Apache-2.0 */
/* bar.js - the program, how it ended, accuracy, search, and files to keep */
import { button, csv, make, table } from "./elements.js";
import { follow, isServed } from "./model/live.js";
import { bytes, percent, seconds, share } from "./model/numbers.js";
import { soughtPattern } from "./model/patterns.js";
import * as state from "./model/state.js";

const base = (path) => path.split("/").pop();
const FILTERS = [["Include", "only"], ["Exclude", "without"]];
const SAID = { live: "live ", paused: "paused ",
  ended: "the program has ended", lost: "tally view does not answer",
  away: "the process runs another program, which is not recorded" };

const menu = (kind, title, ...children) =>
  make("details", { class: `menu ${kind}`, name: "menu" },
    make("summary", {}, title), make("div", {}, ...children));

function save(suffix, blob, name = state.get("view")) {
  const link = make("a", { href: URL.createObjectURL(blob),
    download: `tally-${name}.${suffix}` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

const saveCsv = (view, name) =>
  save("csv", new Blob([csv(view.rows())], { type: "text/csv" }), name);

/* Return the program without its folders, and its arguments. */
function titleOf({ compared, process: image, title }) {
  if (compared !== undefined)
    return [base(compared.before), ` \u2192 ${base(compared.after)}`];
  const [program, ...rest] = (image?.pid === undefined ? title :
    image.command_line || image.program).split(" ");
  return [base(program), rest.map((one) => ` ${one}`).join("")];
}

function endOf({ process: image }) {
  const { images, signal, exit_status: status, running } = image ?? {};
  return images > 1 ? "" : signal !== undefined ? `killed by signal ${signal}` :
    status !== undefined ? `exited with ${status}` : running ? "running" : "";
}

export class Bar {
  constructor(app) {
    this.app = app;
    this.heading = make("div", { class: "heading" });
    this.live = make("div", { class: "live", hidden: true });
    this.trust = menu("trust", "");
    this.processes = menu("processes", "");
    this.find = make("input", { type: "search", id: "find",
      "aria-label": "Find", placeholder: "Find  /", spellcheck: "false",
      oninput: () => state.set({ find: this.find.value }),
      onkeydown: (event) => event.key === "Enter" && app.view.next?.() });
    this.hits = make("span", { role: "status", class: "hits" });
    this.filters = make("span", {}, ...FILTERS.map(([title, key]) =>
      button(title, () => state.set({ find: "", zoom: "",
        [key]: state.withLine(key, soughtPattern(state.get("find"))) }, true))));
    this.search = make("div", { role: "search" }, this.find, this.hits,
      this.filters);
    this.picture = button("Flame graph as PNG", () => {
      state.set({ view: "flame" }, true);
      app.view.canvas.toBlob((blob) => save("png", blob));
    });
    this.times = button("Timeline as CSV", () =>
      saveCsv(app.timeline, "timeline"));
    this.share = menu("share", "Share",
      button("CSV", () => saveCsv(app.view)), this.picture,
      button("Print, or save as PDF", () => print()), this.times,
      button("Copy link", () => navigator.clipboard.writeText(location.href)));
    this.root = make("div", { class: "top" }, this.heading, this.live,
      this.processes, this.trust, this.search, this.share);
  }

  take() {
    const { head, startNs, endCount } = this.app.profile;
    const { title, process: image, writer, at } = head;
    const [name, rest] = titleOf(head), end = endOf(head);
    this.heading.replaceChildren(
      make("h1", { title: name + rest }, name, make("span", {}, rest)),
      make("p", { class: "ran", title }, image?.pid === undefined ? "" :
        `process ${image.pid}, ${image.images < 2 ? "" :
          `summed with ${image.images - 1} more of its tree, `}${
          title === String(image.pid) ? "" : `from ${title}, `}`,
      end === "" ? "" : `${end}, `,
      at === undefined ? "" : `after ${seconds(at - startNs)}, `,
      `Tally ${writer}`));
    this.search.hidden = this.picture.hidden = endCount <= 1;
    this.times.hidden = this.app.profile.isTimeless;
    this.share.hidden = this.app.list.length === 0;
    this.#writeTrust(head);
    this.#listProcesses(head);
  }

  /* The largest first. A server has a page of each, a file that of one, or the
     sum. */
  #listProcesses({ processes, process: image, title }) {
    const sorted = [...processes].sort((a, b) => b.peak - a.peak);
    const copy = (number) => button("Copy command", () =>
      navigator.clipboard.writeText(`tally view --process=${number} '${
        title.replaceAll("'", "'\\''")}'`));
    this.processes.hidden = sorted.length < 2;
    this.processes.firstChild.textContent = `${sorted.length} processes`;
    this.processes.lastChild.replaceChildren(table([["process"],
      ["peak", "number"], ["live", "number"], [""]], sorted.map((one) => {
      const number = one.pid + (one.generation ? `-${one.generation}` : "");
      return [make("th", { scope: "row" }, `${base(one.program)} ${number}`),
        ...[one.peak, one.live].map((value) =>
          make("td", { class: "number" }, bytes(value))),
        make("td", {}, one.is_shown ? "shown here" : isServed() ?
          make("a", { href: `?process=${number}` }, "Open") :
          image?.images > 1 ? "summed here" : copy(number))];
    })));
  }

  #writeTrust({ accuracy, findings, is_lossy: isLossy }) {
    const lost = findings.find(({ kind }) => kind === "lost");
    const { areExact } = this.app.profile.estimates;
    const is = lost ? `lost ${percent(lost.share, 1)}` : !areExact ?
      "estimate \u00b1" : isLossy ? "not exact" : "exact";
    this.trust.dataset.is = is;
    this.trust.hidden = accuracy.length === 0 && this.app.profile.endCount <= 1;
    this.trust.firstChild.textContent = `Accuracy: ${is}`;
    this.trust.lastChild.replaceChildren(make("ul", {}, ...(accuracy[0] ?
      accuracy : ["No losses, no estimates."]).map((one) => make("li", {}, one))));
  }

  update() {
    const { selection } = this.app, sought = state.get("find");
    if (document.activeElement !== this.find) this.find.value = sought;
    this.filters.hidden = this.hits.hidden = sought === "";
    if (sought !== "") {
      const { rows, part } = selection.found;
      const held = share(selection.figure, part, selection.sum);
      this.hits.textContent = `${rows} function${rows === 1 ? "" : "s"}` +
        (held && `, ${held}`);
    }
  }

  /* Data points arrive until the program ends, unless they are paused. */
  follow(show) {
    const said = make("span", { role: "status" });
    let isPaused = false;
    const say = (how) => {
      const text = SAID[how === "live" && isPaused ? "paused" : how];
      pause.hidden = how !== "live";
      if (said.textContent !== text) /* else it is said aloud again */
        said.textContent = text;
    };
    const pause = button("Pause", () => {
      isPaused = toggle();
      pause.textContent = isPaused ? "Go on" : "Pause";
      say("live");
    });
    const toggle = follow(show, say);
    this.live.hidden = false;
    this.live.append(said, pause);
  }
}
