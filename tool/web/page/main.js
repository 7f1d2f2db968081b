/* SPDX-License-Identifier: Apache-2.0 */
/* main.js - the frame around the views: what is selected, keys, what is kept */
import { Colors } from "./colors.js";
import { ComparisonView } from "./comparison.js";
import { choice, csv, field, make, save, swatch, toggle } from "./elements.js";
import { FlameView } from "./flame.js";
import { LabelsView } from "./labels.js";
import { follow, isServed, load } from "./live.js";
import { exactly } from "./numbers.js";
import { Overview } from "./overview.js";
import { Profile } from "./profile.js";
import { RegionsView } from "./regions.js";
import { Selection } from "./selection.js";
import { SizesView } from "./sizes.js";
import * as state from "./state.js";
import { TableView } from "./table.js";
import { TimeView } from "./time.js";
import { TreemapView } from "./treemap.js";

/* Which sources have something for a view. */
const hasStacks = (profile) => profile.endCount > 1;
const hasHistory = (profile) => profile.head.timeline.length > 1 ||
  profile.instants.length > 1;
const isOfAccounts = (profile) => hasStacks(profile) &&
  profile.head.compared === undefined;

/* In the order of the keys 1, 2, ... */
const VIEWS = [
  ["overview", "Overview", Overview, isOfAccounts],
  ["time", "Time", TimeView, hasHistory],
  ["comparison", "Changes", ComparisonView, (profile) =>
    profile.figures.some(({ key }) => key === "growth")],
  ["flame", "Flame", FlameView, hasStacks],
  ["table", "Table", TableView, hasStacks],
  ["treemap", "Treemap", TreemapView, hasStacks],
  ["sizes", "Sizes", SizesView, isOfAccounts],
  ["labels", "Labels", LabelsView, (profile) =>
    profile.columns["name.flags"].some((flags) => flags & 8)],
  ["regions", "Regions", RegionsView, (profile) =>
    profile.head.regions.length > 0],
];

const KEYS = [
  ["1 to 9", "a view, in the order of the row"],
  ["/", "find calls"],
  ["i", "invert: the innermost call first"],
  ["w", "wrappers: fold or show them"],
  ["l", "calls by line or by function"],
  ["arrows, Enter", "in the flame: go to a call, zoom"],
  ["Esc", "all of it: no search, no zoom, no interval"],
  ["?", "this help"],
];

class App {
  constructor(profile) {
    this.profile = profile;
    this.selection = new Selection(profile);
    this.colors = new Colors(profile);
    this.views = new Map();
    this.tabs = make("div", { role: "tablist", "aria-label": "views" });
    this.#listViews();
    this.controls = make("div", { class: "controls" });
    this.sum = make("p", { class: "sum" });
    this.panel = make("div", { id: "view", role: "tabpanel", tabindex: -1 });
    this.help = this.#makeHelp();
    this.live = make("p", { class: "live", hidden: true });
    document.body.append(make("header", {}, make("h1", {}, this.#title()),
      this.#ran(), this.live, this.tabs, this.controls, this.sum), this.#trust(),
    make("main", {}, this.panel), this.#legend(), this.help);
  }

  /* Those that the data have something for. */
  #listViews() {
    this.list = VIEWS.filter(([, , , isFor]) => isFor(this.profile));
    this.views = new Map(this.list.map(([key, , View]) =>
      [key, this.views.get(key) || new View(this)]));
    this.tabs.replaceChildren(...this.list.map(([key, title]) => make("button", {
      role: "tab", type: "button", id: `tab-${key}`, "aria-controls": "view",
      onclick: () => state.set({ view: key }, true),
      onkeydown: (event) => this.#moveTab(event, key),
    }, title)));
  }

  /* Newer data of the same program. */
  replace(profile) {
    if (this.controls.contains(document.activeElement))
      return; /* what is typed stays; the next data come soon */
    const isOther = VIEWS.some(([key, , , isFor]) =>
      isFor(profile) !== this.views.has(key));
    this.profile = profile;
    this.selection = new Selection(profile);
    this.colors = new Colors(profile);
    if (isOther)
      this.#listViews();
    for (const [part, made] of [["aside.trust", this.#trust()],
      ["footer", this.#legend()]])
      document.querySelector(part).replaceWith(made);
    this.update();
  }

  /* New instants arrive until the program ends, unless they are paused. */
  follow() {
    const said = make("span", { role: "status" }, "live ");
    const pause = make("button", { type: "button", onclick: () => {
      const isPaused = toggle();
      pause.textContent = isPaused ? "Go on" : "Pause";
      said.textContent = isPaused ? "paused " : "live ";
    } }, "Pause");
    const toggle = follow((head) => this.replace(new Profile(head)), () => {
      said.textContent = "the program has ended";
      pause.hidden = true;
    });
    this.live.hidden = false;
    this.live.append(said, pause);
  }

  #title() {
    const { compared, images: [image] } = this.profile.head;
    if (compared !== undefined)
      return `${compared.before} \u2192 ${compared.after}`;
    return image === undefined ? this.profile.head.title :
      image.command_line || image.program;
  }

  #ran() {
    const { title, images, writer } = this.profile.head;
    return make("p", { class: "ran" }, images.length === 0 ? "" :
      `process ${images[0].pid}, from ${title}, `, `Tally ${writer}`);
  }

  /* Losses and estimates stay in sight in every view. */
  #trust() {
    const lines = this.profile.head.trust;
    return make("aside", { class: "trust", hidden: lines.length === 0 },
      make("details", {}, make("summary", {}, "What is not exact, or was lost"),
        make("ul", {}, ...lines.map((line) => make("li", {}, line)))));
  }

  #legend() {
    return make("footer", { hidden: this.profile.endCount <= 1 }, make("h2", {}, "Colours are modules"),
      make("ul", { class: "legend" }, ...this.colors.legend()
        .map(([name, color]) => make("li", {}, swatch(color), ` ${name}`))));
  }

  #makeHelp() {
    const dialog = make("dialog", { "aria-label": "keys" },
      make("h2", {}, "Keys"),
      make("dl", {}, ...KEYS.flatMap(([key, meaning]) =>
        [make("dt", {}, key), make("dd", {}, meaning)])),
      make("form", { method: "dialog" }, make("button", {}, "Close")));
    return dialog;
  }

  #writeControls() {
    const { profile, selection } = this;
    const find = field("Find", "find", state.get("find"),
      (text) => state.set({ find: text }));
    this.controls.hidden = this.sum.hidden = profile.endCount <= 1;
    if (this.controls.hidden)
      return;
    this.controls.replaceChildren(
      choice("Figure", selection.figure.key, profile.figures.map((figure) =>
        [figure.key, figure.title]), (key) => state.set({ figure: key })),
      choice("Memory", state.get("kind"), [["all", "heap and maps"],
        ["heap", "heap"], ["maps", "maps"]], (kind) => state.set({ kind })),
      find,
      field("Only below", "only", state.get("only"),
        (text) => state.set({ only: text, zoom: "" })),
      field("Without", "without", state.get("without"),
        (text) => state.set({ without: text, zoom: "" })),
      ...[["fold", "fold wrappers"], ["lines", "by line"],
        ["inverted", "inverted"], ["up", "root below"]].map(([key, label]) =>
        toggle(label, state.get(key) === "yes",
          (isOn) => state.set({ [key]: isOn ? "yes" : "no", zoom: "" }))),
      make("span", { class: "keep" },
        make("button", { type: "button", onclick: () => this.#keepCsv() },
          "CSV"),
        make("button", { type: "button", onclick: () => this.#keepSvg() },
          "SVG"),
        make("button", { type: "button", onclick: () => this.#keepPng() },
          "PNG"),
        make("button", { type: "button", "aria-label": "help",
          onclick: () => this.help.showModal() }, "?")));
  }

  get view() {
    return this.views.get(state.get("view")) ||
      this.views.values().next().value;
  }

  update() {
    const { selection } = this, view = this.view;
    if (view === undefined)
      return this.panel.replaceChildren("This source holds nothing.");
    const focused = document.activeElement?.id;
    this.#writeControls();
    this.sum.textContent = this.sum.hidden ? "" :
      `${selection.figure.title}: ` +
      exactly(selection.figure, selection.sum) + (this.#isOfInterval() ?
        ", in the chosen interval" : "");
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
    view.update();
    if (focused)
      document.getElementById(focused)?.focus();
  }

  #isOfInterval() {
    return this.selection.interval !== null &&
      Profile.isOverTime(this.selection.figure.key);
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

  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || this.help.open)
      return;
    if (event.key === "Escape") {
      document.activeElement?.blur();
      return state.set({ find: "", only: "", without: "", zoom: "", from: "",
        to: "" }, true);
    }
    if (event.target.matches("input, select, textarea"))
      return;
    const flip = { i: "inverted", w: "fold", l: "lines" }[event.key];
    if (flip !== undefined)
      state.set({ [flip]: state.get(flip) === "yes" ? "no" : "yes",
        zoom: "" }, true);
    else if (event.key === "?")
      this.help.showModal();
    else if (event.key === "/") {
      event.preventDefault();
      document.getElementById("find").focus();
    } else if (this.list[event.key - 1] !== undefined)
      state.set({ view: this.list[event.key - 1][0] }, true);
  }

  #name(suffix) {
    return `tally-${state.get("view")}.${suffix}`;
  }

  #keepCsv() {
    save(this.#name("csv"), csv(this.view.rows()), "text/csv");
  }

  #picture() {
    const view = this.view;
    return view.svg instanceof SVGElement ? view.svg.cloneNode(true) :
      view.svg?.();
  }

  #keepSvg() {
    const picture = this.#picture();
    if (picture !== undefined)
      save(this.#name("svg"), styled(picture), "image/svg+xml");
  }

  #keepPng() {
    const picture = this.#picture();
    if (picture === undefined)
      return;
    const box = picture.viewBox.baseVal, image = new Image();
    image.onload = () => {
      const canvas = make("canvas", { width: box.width * 2,
        height: box.height * 2 });
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width,
        canvas.height);
      canvas.toBlob((blob) => save(this.#name("png"), blob));
    };
    picture.setAttribute("width", box.width);
    picture.setAttribute("height", box.height);
    image.src = `data:image/svg+xml;charset=utf-8,${
      encodeURIComponent(styled(picture))}`;
  }
}

/* A picture alone has no style sheet: what it needs is in it. */
function styled(picture) {
  const style = document.createElementNS("http://www.w3.org/2000/svg",
    "style");
  const ink = getComputedStyle(document.body);
  style.textContent = `svg{background:${ink.backgroundColor};` +
    `color:${ink.color};font:12px system-ui,sans-serif}text{fill:${ink.color}}` +
    `.line{fill:none;stroke:${ink.color}}.brush{display:none}`;
  picture.prepend(style);
  return new XMLSerializer().serializeToString(picture);
}

async function start() {
  try {
    const app = new App(new Profile(await load()));
    state.begin();
    state.subscribe(() => app.update());
    window.addEventListener("keydown", (event) => app.press(event));
    window.addEventListener("resize", () => app.update());
    matchMedia("(prefers-color-scheme: dark)")
      .addEventListener("change", () => app.update());
    app.update();
    if (isServed() && app.profile.head.running)
      app.follow();
    performance.mark("tally-ready");
  } catch (error) {
    document.body.append(make("p", { role: "alert" },
      "This page is damaged or cut off: export it again. What is wrong: " +
      error.message));
  }
}

document.addEventListener("DOMContentLoaded", start);
