/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame.js - a flame graph that can be zoomed, searched and weighed anew
 *
 * Lies in the picture itself, with the parts of the page that it uses, and runs
 * there without anything else. `flame_data` stands before it:
 *
 *     measures  [name, unit] of each
 *     names     text of each node's function
 *     node      [index in names, parent] of each; parents come first; of a
 *               comparison also the index of its line, as a text in names
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

const WIDTH = 1200, MARGIN = 12, HEAD = 82, FOOT = 30, ROW = 24;
const CHARACTER = 7.3, PADDING = 5, NARROWEST = 0.1, LEVEL_LIMIT = 400;

const { measures, names, values, compared } = flame_data;
const parents = flame_data.node.map(([, parent]) => parent);
const labels = flame_data.node.map(([name]) => names[name]);
const svg = document.currentScript?.ownerSVGElement ?? document.documentElement;
const part = (id) => svg.getElementById(id);
const depths = [0], weighings = [];
let { chosen } = flame_data, zoomed = 0, sought = null, children;

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
function label(name, width) {
  const room = Math.floor((width - 2 * PADDING) / CHARACTER);
  return room < 3 ? "" : name.length <= room ? name : name.includes("/") ?
    `\u2026${name.slice(1 - room)}` : `${name.slice(0, room - 1)}\u2026`;
}

function frame({ node, x, width, depth }) {
  const y = HEAD + depth * ROW, line = names[flame_data.node[node][2]];
  return makeSvg("g", { class: "frame", onclick: () => {
    zoomed = node;
    draw();
  } }, makeSvg("title", {}, `${labels[node]}\n${line ? `${line}\n` : ""}` +
    amount((one) => one[node]) + share(values[chosen][node])),
  makeSvg("rect", { x: (MARGIN + x).toFixed(2), y, width: width.toFixed(2),
    height: ROW - 1, fill: color(node) }),
  makeSvg("text", { x: (MARGIN + x + PADDING).toFixed(2), y: y + ROW - 8 },
    label(labels[node], width)));
}

function draw() {
  const tree = { parents, depths, totals: values[chosen],
    children: (node) => children[node] };
  const drawn = layOut(tree, zoomed, WIDTH - 2 * MARGIN, NARROWEST)
    .filter(({ node, depth }) => node >= 0 && depth <= LEVEL_LIMIT)
    .sort((a, b) => a.node - b.node);
  const deepest = drawn.reduce((most, { depth }) => Math.max(most, depth), 0);
  const height = HEAD + (deepest + 1) * ROW + FOOT;
  svg.setAttribute("height", height);
  svg.setAttribute("viewBox", `0 0 ${WIDTH} ${height}`);
  part("paper").setAttribute("height", height);
  part("foot").setAttribute("y", height - 12);
  part("frames").replaceChildren(...drawn.map(frame));
  say();
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

function say() {
  part("sum").textContent = `${measures[chosen][0]}: ` +
    amount((one) => one[0]) +
    (zoomed === 0 ? "" : `; shown: ${amount((one) => one[zoomed])}`) +
    (sought === null ? "" :
      `; found: ${amount(found)}${share(found(values[chosen]))}`);
  weighings.forEach((button, index) => button.setAttribute("font-weight",
    index === chosen ? "bold" : "normal"));
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
  let x = MARGIN;
  function button(text, onclick) {
    const element = makeSvg("text", { x, y: 68, class: "button", onclick },
      text);
    svg.append(element);
    x += text.length * CHARACTER + 18;
    return element;
  }
  for (const [index, [name]] of compared ? [] : measures.entries())
    weighings.push(button(name, () => {
      chosen = index;
      zoomed = values[index][zoomed] > 0 ? zoomed : 0;
      place();
      draw();
    }));
  x += compared ? 0 : 12;
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
  draw();
}

start();
