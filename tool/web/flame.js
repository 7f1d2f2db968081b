/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame.js - a flame graph that can be zoomed, searched and weighed anew
 *
 * Lies in the picture itself, with the parts of the page that it uses, and runs
 * there without anything else. `flame_data` stands before it:
 *
 *     measures  [name, unit] of each
 *     names     text of each node's function
 *     node      [index in names, parent] of each, and the index of its line
 *               if that is known; parents come first
 *     values    for each measure, what each node and all above it weigh
 *     chosen    index of the measure that the picture was drawn with
 *     compared  true: the measures are widths, and bytes before and after
 *
 * What was drawn without it is replaced.
 */
import { makeSvg } from "./page/elements.js";
import { bytes, count, signed } from "./page/numbers.js";
import { regularExpression } from "./page/patterns.js";
import { layOut } from "./page/pens.js";

const MARGIN = 12, ROW = 24, LINE = 20, FOOT = 30;
const LEAST_WIDTH = 300; /* the picture shrinks below */
const CHARACTER = 7.3, PADDING = 5, NARROWEST = 0.1, LEVEL_LIMIT = 400;
const TITLE = CHARACTER * 16 / 12;

const { measures, names, values, compared } = flame_data;
const parents = flame_data.node.map(([, parent]) => parent);
const labels = flame_data.node.map(([name]) => names[name]);
const svg = document.currentScript?.ownerSVGElement ?? document.documentElement;
const part = (id) => svg.getElementById(id);
const depths = [0], buttons = [], weighings = [];
const texts = Object.fromEntries(["title", "warning", "legend", "foot"]
  .map((id) => [id, part(id)?.textContent ?? ""]));
let { chosen } = flame_data, zoomed = 0, sought = null, width = 0, children;

parents[0] = -1;
for (let node = 1; node < parents.length; node++)
  depths[node] = depths[parents[node]] + 1;

/* What values of a node are, or "3,500 bytes before, 1,200 after: -2,300". */
function amount(of) {
  const [value, before, after] = values.map(of), [, unit] = measures[chosen];
  if (compared)
    return `${count(before)} bytes before, ${count(after)} after: ` +
      signed(count(after - before), after - before);
  return unit !== "bytes" ? `${count(of(values[chosen]))} ${unit}` :
    `${count(of(values[chosen]))} bytes (${bytes(of(values[chosen]))})`;
}

function share(value) {
  const all = values[chosen][0];
  return compared ? "" :
    `, ${(all > 0 ? (value * 100) / all : 0).toFixed(2)} %`;
}

/* Children by measure, the heaviest first. */
function place() {
  const weights = values[chosen];
  children = parents.map(() => []);
  parents.forEach((parent, node) => {
    if (node > 0 && weights[node] > 0)
      children[parent].push(node);
  });
  for (const some of children)
    some.sort((a, b) => weights[b] - weights[a]);
}

/* From white at no change to a full colour where all of it is new or gone. */
function growthColor(node) {
  const [whole, before, after] = values.map((one) => one[node]);
  const grown = after - before;
  const pale = Math.floor(240 - 150 * Math.abs(whole > 0 ? grown / whole : 0));
  return grown > 0 ? `rgb(240,${pale},${pale})` :
    `rgb(${pale},${grown === 0 ? 240 : pale},240)`;
}

function color(node) {
  if (sought?.test(labels[node]))
    return "#d858d8";
  if (compared)
    return growthColor(node);
  if (node === 0)
    return "#e0e0e0";
  let hash = 2166136261;
  for (const one of labels[node])
    hash = Math.imul(hash ^ one.charCodeAt(0), 16777619) >>> 0;
  hash = (hash ^ hash >>> 15) >>> 0;
  return `hsl(${10 + hash % 200},60%,${74 + hash % 9}%)`;
}

/* As much as fits; of a path its end, which says more. */
function label(name, line, wide) {
  const room = Math.floor((wide - 2 * PADDING) / CHARACTER);
  const both = `${name} ${line.slice(line.lastIndexOf("/") + 1)}`;
  return room < 3 ? "" : line !== "" && both.length <= room ? both :
    name.length <= room ? name : name.includes("/") ?
    `\u2026${name.slice(1 - room)}` : `${name.slice(0, room - 1)}\u2026`;
}

function frame({ node, x, width: wide, depth }, top) {
  const y = top + depth * ROW, line = names[flame_data.node[node][2]] ?? "";
  return makeSvg("g", { class: "frame", onclick: () => {
    zoomed = node;
    draw();
  } }, makeSvg("title", {}, `${labels[node]}\n${line && `${line}\n`}` +
    amount((one) => one[node]) + share(values[chosen][node])),
  makeSvg("rect", { x: (MARGIN + x).toFixed(2), y, width: wide.toFixed(2),
    height: ROW - 1, fill: color(node) }),
  makeSvg("text", { x: (MARGIN + x + PADDING).toFixed(2), y: y + ROW - 8 },
    label(labels[node], line, wide)));
}

/* Lines of a text from `y` on, each as wide as the picture. The next one's. */
function write(id, y, text, character = CHARACTER) {
  const room = Math.floor((width - 2 * MARGIN) / character), lines = [""];
  for (const word of text.split(" ")) {
    const longer = `${lines.at(-1)} ${word}`.trimStart();
    if (longer.length <= room)
      lines[lines.length - 1] = longer;
    else
      lines.push(...word.match(new RegExp(`.{1,${room}}`, "gu")));
  }
  const shown = lines.filter((line) => line !== "");
  part(id).replaceChildren(...shown.map((line, index) =>
    makeSvg("tspan", { x: MARGIN, y: y + index * LINE }, line)));
  return y + shown.length * LINE;
}

/* At the right end of a line that has room for it; else below. */
function writeBeside(id, y, before, next) {
  if (texts[id] === "")
    return next;
  const isBeside = next - y <= LINE &&
    before + (texts[id].length + 2) * CHARACTER < width - MARGIN;
  part(id).setAttribute("text-anchor", isBeside ? "end" : "start");
  if (!isBeside)
    return write(id, next, texts[id]);
  part(id).replaceChildren(makeSvg("tspan", { x: width - MARGIN, y },
    texts[id]));
  return next;
}

/* All above the frames, whose top it returns. */
function drawHead() {
  const y = write("title", 26, texts.title, TITLE);
  const said = sum();
  let row = writeBeside("warning", y, MARGIN + said.length * CHARACTER,
    write("sum", y, said)) + 2, x = MARGIN;
  for (const { element, wide, gap } of buttons) {
    if (x > MARGIN && x + wide > width - MARGIN) {
      x = MARGIN;
      row += LINE;
    }
    element.setAttribute("x", x);
    element.setAttribute("y", row);
    x += wide + gap;
  }
  weighings.forEach((button, index) => button.setAttribute("font-weight",
    index === chosen ? "bold" : "normal"));
  return writeBeside("legend", row, x, row + LINE) - 6;
}

function draw() {
  width = Math.max(svg.getBoundingClientRect().width, LEAST_WIDTH);
  const tree = { parents, depths, totals: values[chosen],
    children: (node) => children[node] };
  const drawn = layOut(tree, zoomed, width - 2 * MARGIN, NARROWEST)
    .filter(({ node, depth }) => node >= 0 && depth <= LEVEL_LIMIT)
    .sort((a, b) => a.node - b.node);
  const deepest = drawn.reduce((most, { depth }) => Math.max(most, depth), 0);
  const top = drawHead(), bottom = top + (deepest + 1) * ROW;
  const height = write("foot", bottom + FOOT - 12, texts.foot || " ") +
    12 - (texts.foot === "" ? 0 : LINE);
  part("paper").setAttribute("width", width);
  part("paper").setAttribute("height", height);
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  part("frames").replaceChildren(...drawn.map((one) => frame(one, top)));
}

/* What is found, each byte once, though found calls may lie on one another. */
function found(weights) {
  const inside = [];
  let sum = 0;
  parents.forEach((parent, node) => {
    inside[node] = node > 0 && inside[parent];
    if (!inside[node] && sought.test(labels[node])) {
      inside[node] = true;
      sum += weights[node];
    }
  });
  return sum;
}

function sum() {
  return `${measures[chosen][0]}: ` +
    amount((one) => one[0]) +
    (zoomed === 0 ? "" : `; shown: ${amount((one) => one[zoomed])}`) +
    (sought === null ? "" :
      `; found: ${amount(found)}${share(found(values[chosen]))}`);
}

function search() {
  const text = window.prompt("Functions to look for (a regular expression):",
    sought?.source ?? "");
  if (text !== null) {
    sought = text === "" ? null : regularExpression(text);
    draw();
  }
}

function start() {
  function button(text, onclick, gap = 18) {
    const element = makeSvg("text", { class: "button", onclick }, text);
    svg.append(element);
    buttons.push({ element, wide: text.length * CHARACTER, gap });
    return element;
  }
  for (const [index, [name]] of compared ? [] : measures.entries())
    weighings.push(button(name, () => {
      chosen = index;
      zoomed = values[index][zoomed] > 0 ? zoomed : 0;
      place();
      draw();
    }, index + 1 < measures.length ? 18 : 30));
  button("[search]", search);
  button("[reset]", () => {
    zoomed = 0;
    sought = null;
    draw();
  });
  window.addEventListener("keydown", (event) => {
    if (event.key === "f" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      search();
    } else if (event.key === "Escape") {
      zoomed = 0;
      draw();
    }
  });
  place();
  new ResizeObserver(() => {
    if (Math.max(svg.getBoundingClientRect().width, LEAST_WIDTH) !== width)
      draw();
  }).observe(svg);
  draw();
}

start();
