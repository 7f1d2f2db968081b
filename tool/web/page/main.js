/* SPDX-License-Identifier: Apache-2.0 */
/* main.js - the frame around the views */
import { Bar } from "./bar.js";
import { BreakdownView } from "./views/breakdown.js";
import { Cards } from "./cards.js";
import { Colors, scheme } from "./colors.js";
import { ComparisonView } from "./views/comparison.js";
import { Controls } from "./controls.js";
import { Detail } from "./detail.js";
import { button, hideTip, legend, make } from "./elements.js";
import { FlameView } from "./views/flame.js";
import { HistogramsView } from "./views/histograms.js";
import { isServed, load } from "./model/live.js";
import { Overview } from "./views/overview.js";
import { Profile } from "./model/profile.js";
import { RegionsView } from "./views/regions.js";
import { Selection } from "./model/selection.js";
import * as state from "./model/state.js";
import { TableView } from "./views/table.js";
import { Timeline } from "./timeline.js";
import { TreemapView } from "./views/treemap.js";
import { View } from "./views/view.js";

/* views, and the sources that have data for them */
const hasStacks = (profile) => profile.endCount > 1;
const isOfAccounts = (profile) => hasStacks(profile) &&
  profile.head.compared === undefined;

/* In the order of the keys 1, 2, ... */
const VIEWS = [
  ["overview", "Overview", Overview, (profile) => isOfAccounts(profile) ||
    (Boolean(profile.head.process) && profile.head.regions.length === 0)],
  ["comparison", "Compare", ComparisonView, (profile) => hasStacks(profile) &&
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
    this.bar = new Bar(this);
    this.timeline = new Timeline();
    this.cards = new Cards(this);
    this.controls = new Controls(this);
    this.panel = make("div", { id: "view", role: "tabpanel", tabindex: -1 });
    this.detail = new Detail(this);
    this.legend = make("footer");
    this.#take(profile);
    this.sheets = [["Timeline", this.timeline.root], ["Metric", this.cards.cards]]
      .map(([title, part]) => this.#sheet(title, part));
    document.body.append(make("header", {}, this.bar.root,
      make("div", { class: "sheets" }, ...this.sheets), this.cards.scope,
      make("div", { class: "choice" }, this.tabs, this.controls.root)),
    make("div", { class: "sides" }, make("main", {}, this.panel),
      this.detail.root), this.legend);
  }

  #take(profile) {
    this.profile = profile;
    this.selection = new Selection(profile);
    this.colors = new Colors(profile);
    this.list = VIEWS.filter(([, , , isFor]) => isFor(profile));
    this.#listTabs();
    this.bar.take();
    this.controls.take();
  }

  /* Make a part that a button opens on a narrow page. */
  #sheet(title, part) {
    const root = make("div", { class: "sheet" }, button(title, () => {
      const wasOpen = root.classList.contains("open");
      for (const one of this.sheets) {
        const isOpen = one.classList.toggle("open", one === root && !wasOpen);
        one.firstChild.setAttribute("aria-expanded", String(isOpen));
      }
      this.update();
    }, { "aria-expanded": "false" }), part);
    return root;
  }

  #listTabs() {
    if (this.list.every(([key]) => this.views.has(key)) &&
      this.list.length === this.views.size)
      return;
    this.views = new Map(this.list.map(([key, , View]) =>
      [key, this.views.get(key) || new View()]));
    this.tabs.replaceChildren(...this.list.map(([key, title], at) => button(title,
      () => state.set({ view: key }, true), {
        role: "tab", title: `key ${at + 1}`, id: `tab-${key}`, "aria-controls": "view",
        onkeydown: (event) => this.#moveTab(event, key),
      })));
  }

  replace(profile) {
    const times = this.selection.interval?.map((at) =>
      this.profile.instants[at]);
    this.#take(profile);
    if (times !== undefined) {
      const [from, to] = times.map((ns) => String(profile.nearest(ns)));
      state.correct({ from, to });
    }
    this.update();
  }

  get view() {
    return this.views.get(state.get("view")) ||
      this.views.values().next().value;
  }

  update() {
    if (state.get("value") !== this.profile.value)
      this.#take(new Profile(this.profile.head, state.get("value")));
    const { view } = this, focused = document.activeElement?.id;
    if (view === undefined)
      return this.panel.replaceChildren("This source holds nothing.");
    const isOfStacks = hasStacks(this.profile);
    View.paper = 0;
    hideTip();
    const [times, metric] = this.sheets, { controls, cards } = this;
    times.hidden = this.profile.isTimeless;
    if (!times.hidden) this.timeline.show(this);
    controls.root.hidden = cards.scope.hidden = metric.hidden = !isOfStacks;
    if (isOfStacks)
      [this.bar, this.cards, this.controls, this.detail]
        .forEach((part) => part.update());
    for (const [key] of this.list) {
      const tab = document.getElementById(`tab-${key}`);
      const isChosen = this.views.get(key) === view;
      tab.setAttribute("aria-selected", String(isChosen));
      tab.tabIndex = isChosen ? 0 : -1;
      if (isChosen) this.panel.setAttribute("aria-labelledby", tab.id);
    }
    if (this.panel.lastChild !== view.root || this.panel.children.length > 1)
      this.panel.replaceChildren(view.root);
    view.show(this);
    this.#writeLegend();
    if (focused && focused !== document.activeElement.id)
      document.getElementById(focused)?.focus();
  }

  /* Print the overview and the flame graph, each on its page. */
  print() {
    View.paper = 1000;
    if (!this.profile.isTimeless) this.timeline.show(this);
    const views = ["overview", "flame"].map((key) => this.views.get(key))
      .filter(Boolean);
    if (views.length > 0)
      this.panel.replaceChildren(...views.map(({ root }) => root));
    views.forEach((view) => view.show(this));
  }

  /* Anew when the view, the data or the desktop's colours are others. */
  #writeLegend() {
    const [title, rows] = this.view.colorsMean(), said = rows.join();
    this.legend.hidden = rows.length === 0;
    if (said !== this.legendSaid)
      this.legend.replaceChildren(make("h2", {}, title), legend(rows));
    this.legendSaid = said;
  }

  #moveTab(event, key) {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step === undefined) return;
    const { list } = this, at = list.findIndex((one) => one[0] === key);
    const next = list[(at + step + list.length) % list.length][0];
    state.set({ view: next }, true);
    document.getElementById(`tab-${next}`).focus();
  }
}

/* Show what part is read, from 200 ms on. */
async function tell(part) {
  if (performance.now() < 200) return;
  document.getElementById("waiting").replaceChildren("Loading ",
    make("progress", { value: part, "aria-label": "loading" }));
  await new Promise((done) => setTimeout(done));
}

async function start() {
  try {
    const app = new App(new Profile(await load(tell)));
    state.begin(() => app.update());
    window.addEventListener("keydown", (event) => app.controls.press(event));
    window.addEventListener("resize", () => app.update());
    window.addEventListener("beforeprint", () => app.print());
    window.addEventListener("afterprint", () => app.update());
    scheme.addEventListener("change", () => app.update());
    if (isServed() && app.profile.head.running)
      app.bar.follow((head) => app.replace(new Profile(head)));
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
