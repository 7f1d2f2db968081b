/* SPDX-License-Identifier: Apache-2.0 */
/* keep.js - what is seen, as a file: CSV, SVG or PNG */
import { csv, make, makeSvg } from "./elements.js";
import * as state from "./state.js";

const LARGEST = 8192;
const COLORS = ["--paper", "--ink", "--pale", "--line", "--tint", "--accent"];

function save(suffix, blob) {
  const link = make("a", { href: URL.createObjectURL(blob),
    download: `tally-${state.get("view")}.${suffix}` });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/* A view draws itself as SVG, is SVG, or is a part of the document, which
   stands in SVG as it is. */
function pictureOf(view) {
  const { root } = view, drawn = typeof view.svg === "function" ?
    view.svg() : view.svg?.cloneNode(true);
  if (drawn !== undefined)
    return drawn;
  const [width, height] = [root.offsetWidth, root.offsetHeight];
  return makeSvg("svg", { viewBox: `0 0 ${width} ${height}` },
    makeSvg("foreignObject", { width, height },
      make("div", { class: "kept" }, root.cloneNode(true))));
}

/* A picture alone has no style sheet: it takes ours, with the colours that are
   seen now, light or dark. */
function styled(view) {
  const picture = pictureOf(view), box = picture.viewBox.baseVal;
  const now = getComputedStyle(document.documentElement);
  const colors = COLORS.map((name) =>
    `${name}:${now.getPropertyValue(name)}`).join(";");
  picture.setAttribute("width", box.width);
  picture.setAttribute("height", box.height);
  picture.prepend(makeSvg("style", {}, [...document.styleSheets[0].cssRules]
    .map((rule) => rule.cssText).join("") + `:root{${colors}}svg{color:` +
    "var(--ink);background:var(--paper)}.brush{display:none}"));
  return [new XMLSerializer().serializeToString(picture), box];
}

export function keepCsv(view) {
  save("csv", new Blob([csv(view.rows())], { type: "text/csv" }));
}

export function keepSvg(view) {
  save("svg", new Blob([styled(view)[0]], { type: "image/svg+xml" }));
}

export function keepPng(view) {
  const [text, { width, height }] = styled(view), image = new Image();
  const scale = Math.min(2, LARGEST / width, LARGEST / height);
  image.onload = () => {
    const canvas = make("canvas", { width: width * scale,
      height: height * scale });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => save("png", blob));
  };
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
}
