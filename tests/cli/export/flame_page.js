/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame_page.js - a picture in as much of a browser as it needs
 *
 * usage: node flame_page.js PICTURE FRAME MEASURE TEXT
 *
 * Runs the picture's script, then a click on FRAME, another MEASURE (- of a
 * comparison, which has none) and a search for TEXT, and prints what is drawn
 * each time: NAME X WIDTH, and the line of sums.
 */
"use strict";
const fs = require("fs");
const vm = require("vm");

const text = fs.readFileSync(process.argv[2], "utf8");
const script = /<script><!\[CDATA\[([^]*)\]\]><\/script>/.exec(text)[1];
const drawn = /<g id="frames">([^]*?)\n<\/g>/.exec(text)[1];

class Element {
  constructor(name) {
    Object.assign(this, { name, attributes: {}, children: [], handlers: {} });
    this.textContent = "";
  }
  setAttribute(key, value) { this.attributes[key] = String(value); }
  append(...parts) {
    for (const one of parts) {
      if (typeof one === "string")
        this.textContent += one;
      else
        this.children.push(one);
    }
  }
  replaceChildren(...parts) { this.children = parts; }
  addEventListener(kind, handler) { this.handlers[kind] = handler; }
  getElementById(id) { return elements[id]; }
  getBoundingClientRect() { return { width: 1200 }; }
}

const elements = {};
for (const id of ["frames", "paper", "title", "foot", "sum"])
  elements[id] = new Element(id);
const svg = new Element("svg");
const asked = [];
/* Its width never changes. */
class ResizeObserver {
  observe() {}
}
const window = { prompt: () => asked.shift(), addEventListener: () => {} };
vm.runInNewContext(script, {
  document: { documentElement: svg,
              createElementNS: (space, name) => new Element(name) },
  ResizeObserver, window, Math, String, RegExp
});

function show(what) {
  console.log(`${what}: ${elements.sum.children.map(
    line => line.textContent).join(" ")}`);
  for (const frame of elements.frames.children) {
    const [title, rect] = frame.children;
    console.log(" ", title.textContent.split("\n")[0], rect.attributes.x,
      rect.attributes.width, rect.attributes.fill === "#d858d8" ? "*" : "");
  }
}

function frame(name) {
  return elements.frames.children.find(one =>
    one.children[0].textContent.startsWith(name + "\n"));
}

function press(name) {
  svg.children.find(one => one.textContent === name).handlers.click();
}

/* #rrggbb, as a script may say it in other words. */
function plain_color(fill) {
  const parts = /^rgb\((\d+),(\d+),(\d+)\)$/.exec(fill);
  return parts === null ? fill : "#" + parts.slice(1).map(
    one => Number(one).toString(16).padStart(2, "0")).join("");
}

if (process.argv[4] === "-") {
  const colors = [...drawn.matchAll(/fill="([^"]*)"/g)].map(one => one[1]);
  const now = elements.frames.children.map(
    one => plain_color(one.children[1].attributes.fill));
  console.log("same colours:",
    JSON.stringify(colors.sort()) === JSON.stringify(now.sort()));
  const titles = [...drawn.matchAll(/<title>([^<]*)<\/title>/g)];
  console.log("same titles:",
    JSON.stringify(titles.map(one => one[1]).sort()) ===
    JSON.stringify(elements.frames.children.map(
      one => one.children[0].textContent).sort()));
}

/* The script draws what was drawn without it. */
const still = [...drawn.matchAll(
  /<title>([^\n]*)\n[^]*?<rect x="([^"]*)" y="[^"]*" width="([^"]*)"/g)]
  .map(one => one.slice(1).join(" ")).sort();
const moving = elements.frames.children.map(one =>
  [one.children[0].textContent.split("\n")[0], one.children[1].attributes.x,
   one.children[1].attributes.width].join(" ")).sort();
console.log("same as without a script:",
  JSON.stringify(still) === JSON.stringify(moving));
show("at first");
frame(process.argv[3]).handlers.click();
show(`at ${process.argv[3]}`);
press("[reset]");
if (process.argv[4] !== "-") {
  press(process.argv[4]);
  show(process.argv[4]);
}
asked.push(process.argv[5]);
press("[search]");
show(`found ${process.argv[5]}`);
