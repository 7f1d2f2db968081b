/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame.js - a flame graph that can be zoomed, searched and weighed anew
 *
 * Lies in the picture itself and runs there without anything else. `flame_data`
 * stands before it:
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
"use strict";
(function () {
  var WIDTH = 1200, MARGIN = 12, HEAD = 82, FOOT = 30, ROW = 24;
  var CHARACTER = 7.3, PADDING = 5, NARROWEST = 0.1, LEVEL_LIMIT = 400;
  var SVG = "http://www.w3.org/2000/svg";
  var data = flame_data;
  var count = data.node.length;
  var svg = document.currentScript && document.currentScript.ownerSVGElement ||
    document.documentElement;
  var frames = svg.getElementById("frames");
  var chosen = data.chosen, zoomed = 0, sought = null;
  var levels = [], starts = [], order = [], weighings = [];

  function make(name, attributes, text) {
    var element = document.createElementNS(SVG, name);
    for (var key in attributes)
      element.setAttribute(key, attributes[key]);
    if (text !== undefined)
      element.textContent = text;
    return element;
  }

  function group(number) {
    return String(number).replace(/\B(?=(\d{3})+$)/g, ",");
  }

  function amount(value) {
    var units = ["B", "KiB", "MiB", "GiB", "TiB"], unit = 0, size = value;
    var kind = data.measures[chosen][1];
    if (kind !== "bytes")
      return group(value) + " " + kind;
    while (size >= 1024 && unit + 1 < units.length) {
      size /= 1024;
      unit++;
    }
    return group(value) + " bytes (" + size.toFixed(unit ? 1 : 0) + " " +
      units[unit] + ")";
  }

  function growth(node) {
    return data.values[2][node] - data.values[1][node];
  }

  /* "3,500 bytes before, 1,200 after: -2,300" */
  function change(before, after) {
    return group(before) + " bytes before, " + group(after) + " after: " +
      (after > before ? "+" : "") + group(after - before);
  }

  function change_of(node) {
    return change(data.values[1][node], data.values[2][node]);
  }

  /* Children side by side on their parents, the heaviest first. */
  function place() {
    var values = data.values[chosen], children = [], i;
    for (i = 0; i < count; i++) {
      children.push([]);
      levels[i] = i === 0 ? 0 : levels[data.node[i][1]] + 1;
      if (i > 0 && values[i] > 0)
        children[data.node[i][1]].push(i);
    }
    starts[0] = 0;
    order = [];
    for (i = 0; i < count; i++) {
      var next = starts[i];
      if (i > 0 && !(values[i] > 0))
        continue;
      order.push(i);
      children[i].sort(function (a, b) { return values[b] - values[a]; });
      children[i].forEach(function (child) {
        starts[child] = next;
        next += values[child];
      });
    }
  }

  function is_above(node, root) {
    while (levels[node] > levels[root])
      node = data.node[node][1];
    return node === root;
  }

  function hash(text) {
    var value = 2166136261;
    for (var i = 0; i < text.length; i++)
      value = Math.imul(value ^ text.charCodeAt(i), 16777619) >>> 0;
    return (value ^ value >>> 15) >>> 0;
  }

  /* From white at no change to a full colour where all of it is new or gone. */
  function growth_color(node) {
    var whole = data.values[0][node], grown = growth(node);
    var pale = Math.floor(240 - 150 * Math.abs(whole > 0 ? grown / whole : 0));
    return grown > 0 ? "rgb(240," + pale + "," + pale + ")" :
      "rgb(" + pale + "," + (grown === 0 ? 240 : pale) + ",240)";
  }

  function color(node, name) {
    if (sought && sought.test(name))
      return "#d858d8";
    if (data.compared)
      return growth_color(node);
    if (node === 0)
      return "#e0e0e0";
    var value = hash(name);
    return "hsl(" + (10 + value % 200) + ",60%," + (74 + value % 9) + "%)";
  }

  function label(name, width) {
    var room = Math.floor((width - 2 * PADDING) / CHARACTER);
    if (room < 3)
      return "";
    if (name.length <= room)
      return name;
    return name.indexOf("/") >= 0 ? "\u2026" + name.slice(1 - room) :
      name.slice(0, room - 1) + "\u2026";
  }

  function line(node) {
    var text = data.names[data.node[node][2]];
    return text === "" ? "" : text + "\n";
  }

  function draw_node(node, x, width, y) {
    var name = data.names[data.node[node][0]];
    var value = data.values[chosen][node], all = data.values[chosen][0];
    var element = make("g", { "class": "frame" });
    element.appendChild(make("title", {}, data.compared ?
      name + "\n" + line(node) + change_of(node) :
      name + "\n" + amount(value) + ", " +
      (all > 0 ? value * 100 / all : 0).toFixed(2) + " %"));
    element.appendChild(make("rect", {
      x: x.toFixed(2), y: y, width: width.toFixed(2), height: ROW - 1,
      fill: color(node, name)
    }));
    element.appendChild(make("text", { x: (x + PADDING).toFixed(2),
      y: y + ROW - 8 }, label(name, width)));
    element.addEventListener("click", function () {
      zoomed = node;
      draw();
    });
    frames.appendChild(element);
  }

  function draw() {
    var values = data.values[chosen], room = WIDTH - 2 * MARGIN;
    var whole = values[zoomed] > 0 ? values[zoomed] : 1;
    var highest = 0, drawn = [];
    order.forEach(function (node) {
      var x, width;
      if (levels[node] > LEVEL_LIMIT)
        return;
      if (levels[node] <= levels[zoomed]) {
        if (!is_above(zoomed, node))
          return;
        x = MARGIN;
        width = room;
      } else {
        if (!is_above(node, zoomed))
          return;
        x = MARGIN + (starts[node] - starts[zoomed]) * room / whole;
        width = values[node] * room / whole;
      }
      if (width < NARROWEST)
        return;
      highest = Math.max(highest, levels[node]);
      drawn.push([node, x, width]);
    });
    while (frames.firstChild)
      frames.removeChild(frames.firstChild);
    var height = HEAD + (highest + 1) * ROW + FOOT;
    svg.setAttribute("height", height);
    svg.setAttribute("viewBox", "0 0 " + WIDTH + " " + height);
    svg.getElementById("paper").setAttribute("height", height);
    svg.getElementById("foot").setAttribute("y", height - 12);
    drawn.forEach(function (one) {
      draw_node(one[0], one[1], one[2], HEAD + levels[one[0]] * ROW);
    });
    say();
  }

  /* What is found, each byte once, though found calls may lie on one another. */
  function found(values) {
    var sum = 0, inside = [];
    order.forEach(function (node) {
      var parent = data.node[node][1];
      inside[node] = node > 0 && inside[parent];
      if (!inside[node] && sought.test(data.names[data.node[node][0]])) {
        inside[node] = true;
        sum += values[node];
      }
    });
    return sum;
  }

  function say() {
    var all = data.values[chosen][0];
    var text = data.measures[chosen][0] + ": " +
      (data.compared ? change_of(0) : amount(all));
    if (zoomed)
      text += "; shown: " + (data.compared ? change_of(zoomed) :
        amount(data.values[chosen][zoomed]));
    if (sought && data.compared)
      text += "; found: " +
        change(found(data.values[1]), found(data.values[2]));
    else if (sought)
      text += "; found: " + amount(found(data.values[chosen])) + ", " +
        (all > 0 ? found(data.values[chosen]) * 100 / all : 0).toFixed(2) +
        " %";
    svg.getElementById("sum").textContent = text;
    weighings.forEach(function (element, index) {
      element.setAttribute("font-weight", index === chosen ? "bold" : "normal");
    });
  }

  function button(x, text, action) {
    var element = make("text", { x: x, y: 68, "class": "button" }, text);
    element.addEventListener("click", action);
    svg.appendChild(element);
    return x + text.length * CHARACTER + 18;
  }

  function search() {
    var text = window.prompt("Functions to look for (a regular expression):",
      sought ? sought.source : "");
    if (text === null)
      return;
    try {
      sought = text === "" ? null : new RegExp(text);
    } catch (error) {
      sought = new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
    }
    draw();
  }

  function start() {
    var x = MARGIN;
    (data.compared ? [] : data.measures).forEach(function (measure, index) {
      x = button(x, measure[0], function () {
        chosen = index;
        zoomed = data.values[index][zoomed] > 0 ? zoomed : 0;
        place();
        draw();
      });
      weighings.push(svg.lastChild);
    });
    x = button(x === MARGIN ? x : x + 12, "[search]", search);
    button(x, "[reset]", function () {
      zoomed = 0;
      sought = null;
      draw();
    });
    window.addEventListener("keydown", function (event) {
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
})();
