// SPDX-License-Identifier: Apache-2.0
// Letters between towns: buffers, text and their sorting, for an engine whose
// code is made as it runs and whose own heap is not malloc's.
// usage: node.js COUNT
"use strict";

const zlib = require("zlib");

const count = Number(process.argv[2]);
const towns = ["Aachen", "Bergen", "Calais", "Dundee", "Esbjerg", "Faro"];
const letters = [];

for (let number = 0; number < count; number++) {
    const text = `${towns[number % 6]}: ${"word ".repeat(number % 97)}`;
    letters.push({ number, town: text.slice(0, 4), body: Buffer.from(text) });
}

const byTown = new Map();
for (const letter of JSON.parse(JSON.stringify(letters.slice(0, count / 4))))
    byTown.set(letter.town, (byTown.get(letter.town) || 0) + letter.number);

letters.sort((one, other) => Buffer.compare(one.body, other.body));
let packed = 0;
for (let first = 0; first + 16 <= letters.length; first += 16) {
    const part = letters.slice(first, first + 16).map((letter) => letter.body);
    packed += zlib.deflateSync(Buffer.concat(part), { level: 1 }).length;
}
console.log(packed, [...byTown].sort()[0]);
