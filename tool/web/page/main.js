/* SPDX-License-Identifier: Apache-2.0 */
/* main.js - the frame around the views */
import { BreakdownView } from "./breakdown.js";
import { Colors } from "./colors.js";
import { ComparisonView } from "./comparison.js";
import { Controls } from "./controls.js";
import { button, legend, make } from "./elements.js";
import { FlameView } from "./flame.js";
import { HistogramsView } from "./histograms.js";
import { follow, isServed, load } from "./live.js";
import { exactly, seconds } from "./numbers.js";
import { Overview } from "./overview.js";
import { Profile } from "./profile.js";
import { RegionsView } from "./regions.js";
import { Selection } from "./selection.js";
import * as state from "./state.js";
import { TableView } from "./table.js";
import { TimeView } from "./time.js";
import { TreemapView } from "./treemap.js";

/* views, and the sources that have data for them */
const hasStacks = (profile) => profile.endCount > 1;
const isOfAccounts = (profile) => hasStacks(profile) &&
  profile.head.compared === undefined;

/* In the order of the keys 1, 2, ... */
const VIEWS = [
  ["overview", "Overview", Overview, isOfAccounts],
  ["time", "Time", TimeView, (profile) => profile.head.timeline.length > 1 ||
    profile.instants.length > 1],
  ["comparison", "Changes", ComparisonView, (profile) => hasStacks(profile) &&
    profile.figures.some(({ key }) => key === "growth")],
  ["flame", "Flame", FlameView, hasStacks],
  ["table", "Table", TableView, hasStacks],
  ["treemap", "Treemap", TreemapView, hasStacks],
  ["sizes", "Sizes and lifetimes", HistogramsView, isOfAccounts],
  ["labels", "Threads and labels", BreakdownView, (profile) =>
    isOfAccounts(profile) && Boolean(profile.head.process)],
  ["regions", "Regions", RegionsView, (profile) =>
    profile.head.regions.length > 0],
];

class App {
  constructor(profile) {
    this.views = new Map();
    this.tabs = make("div", { role: "tablist", "aria-label": "views" });
    this.controls = new Controls(this);
    this.sum = make("p", { class: "sum" });
    this.panel = make("div", { id: "view", role: "tabpanel", tabindex: -1 });
    this.live = make("p", { class: "live", hidden: true });
    this.trust = make("aside", { class: "trust" });
    this.legend = make("footer");
    this.#take(profile);
    this.heading = this.#makeHeading();
    document.body.append(make("header", {}, this.heading, this.live, this.tabs,
      this.controls.root, this.sum), this.trust,
    make("main", {}, this.panel), this.legend, this.controls.help);
  }

  #take(profile) {
    this.profile = profile;
    this.selection = new Selection(profile);
    this.colors = new Colors(profile);
    this.list = VIEWS.filter(([, , , isFor]) => isFor(profile));
    this.#listTabs();
    this.#writeTrust();
  }

  #listTabs() {
    if (this.list.every(([key]) => this.views.has(key)) &&
      this.list.length === this.views.size)
      return;
    this.views = new Map(this.list.map(([key, , View]) =>
      [key, this.views.get(key) || new View()]));
    this.tabs.replaceChildren(...this.list.map(([key, title]) => button(title,
      () => state.set({ view: key }, true), {
        role: "tab", id: `tab-${key}`, "aria-controls": "view",
        onkeydown: (event) => this.#moveTab(event, key),
      })));
  }

  /* Newer data of the same program. */
  replace(profile) {
    const times = this.selection.interval?.map((at) =>
      this.profile.instants[at]);
    this.#take(profile);
    if (times !== undefined) {
      const [from, to] = times.map((ns) => String(profile.nearest(ns)));
      state.correct({ from, to });
    }
    this.heading.replaceWith(this.heading = this.#makeHeading());
    this.update(true);
  }

  /* New instants arrive until the program ends, unless they are paused. */
  follow() {
    const said = make("span", { role: "status" });
    const pause = button("Pause", () => {
      const isPaused = toggle();
      pause.textContent = isPaused ? "Go on" : "Pause";
      said.textContent = isPaused ? "paused " : "live ";
    });
    const toggle = follow((head) => this.replace(new Profile(head)), (how) => {
      pause.hidden = how !== "live";
      said.textContent = how === "ended" ? "the program has ended" :
        how === "away" ? "the process runs another program, which is not " +
          "recorded" :
        how === "lost" ? "tally view does not answer" :
          pause.textContent === "Pause" ? "live " : "paused ";
    });
    this.live.hidden = false;
    this.live.append(said, pause);
  }

  #makeHeading() {
    return make("div", {}, make("h1", {}, this.#title()), this.#ran());
  }

  #title() {
    const { compared, process: image, title } = this.profile.head;
    if (compared !== undefined)
      return `${compared.before} \u2192 ${compared.after}`;
    return image?.pid === undefined ? title :
      image.command_line || image.program;
  }

  #ran() {
    const { title, process: image, writer, at } = this.profile.head;
    return make("p", { class: "ran" }, image?.pid === undefined ? "" :
      `process ${image.pid}, ${image.images < 2 ? "" :
        `summed with ${image.images - 1} more of its tree, `}from ${title}, `,
    at === undefined ? "" :
      `after ${seconds(at - this.profile.startNs)}, `,
    `Tally ${writer}`);
  }

  /* Show losses and estimates in every view. */
  #writeTrust() {
    const lines = this.profile.head.accuracy;
    const isOpen = this.trust.querySelector("details")?.open === true;
    this.trust.hidden = lines.length === 0;
    this.trust.replaceChildren(make("details", { open: isOpen },
      make("summary", {}, "Accuracy"),
      make("ul", {}, ...lines.map((line) => make("li", {}, line)))));
  }

  get view() {
    return this.views.get(state.get("view")) ||
      this.views.values().next().value;
  }

  update(isNewer = false) {
    const { view } = this, focused = document.activeElement?.id;
    if (view === undefined)
      return this.panel.replaceChildren("This source holds nothing.");
    Colors.look();
    this.controls.update(isNewer);
    this.#writeSum();
    for (const [key] of this.list) {
      const tab = document.getElementById(`tab-${key}`);
      const isChosen = this.views.get(key) === view;
      tab.setAttribute("aria-selected", String(isChosen));
      tab.tabIndex = isChosen ? 0 : -1;
      if (isChosen)
        this.panel.setAttribute("aria-labelledby", tab.id);
    }
    if (this.panel.firstChild !== view.root)
      this.panel.replaceChildren(view.root);
    view.show(this);
    this.#writeLegend();
    if (focused)
      document.getElementById(focused)?.focus();
  }

  /* Anew when the view, the data or the desktop's colours are others. */
  #writeLegend() {
    const [title, rows] = this.view.colorsMean(), said = rows.join();
    this.legend.hidden = this.profile.endCount <= 1;
    if (said !== this.legendSaid)
      this.legend.replaceChildren(make("h2", {}, title), legend(rows));
    this.legendSaid = said;
  }

  #writeSum() {
    const { profile, selection } = this, { figure } = selection;
    this.sum.hidden = profile.endCount <= 1;
    if (this.sum.hidden)
      return;
    const isOfInterval = selection.interval !== null &&
      profile.isOverTime(figure.key);
    this.sum.textContent = `${figure.title}: ` +
      exactly(figure, selection.sum, selection.sumInterval()) +
      (isOfInterval ? ", in the chosen interval" : "");
  }

  #moveTab(event, key) {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step === undefined)
      return;
    const { list } = this, at = list.findIndex((one) => one[0] === key);
    const next = list[(at + step + list.length) % list.length][0];
    state.set({ view: next }, true);
    document.getElementById(`tab-${next}`).focus();
  }
}

async function start() {
  try {
    const app = new App(new Profile(await load()));
    state.begin(() => app.update());
    window.addEventListener("keydown", (event) => app.controls.press(event));
    window.addEventListener("resize", () => app.update());
    matchMedia("(prefers-color-scheme: dark)")
      .addEventListener("change", () => app.update());
    if (isServed() && app.profile.head.running)
      app.follow();
    performance.mark("tally-ready");
  } catch (error) {
    document.body.append(make("p", { role: "alert" },
      "This page is damaged or cut off: export it again. What is wrong: " +
      error.message));
  } finally {
    document.getElementById("waiting").remove();
  }
}

document.addEventListener("DOMContentLoaded", start);
