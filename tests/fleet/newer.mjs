// SPDX-License-Identifier: Apache-2.0
// The HTTP interface of today's ClickHouse, as far as tally store uses it: the
// engine is a library, which npm has.
//
// usage: node newer.mjs FOLDER PORT, in a folder with chdb in node_modules

import http from "node:http";
import { createRequire } from "node:module";
import zlib from "node:zlib";

const { Session } = createRequire(process.cwd() + "/")("chdb");
const [folder, port] = process.argv.slice(2);
const session = new Session(folder);

function answer(request, body) {
    const query = new URL(request.url, "http://localhost").searchParams;
    let text = (request.headers["content-encoding"] === "gzip"
        ? zlib.gunzipSync(body) : body).toString();

    if (query.has("query"))
        text = query.get("query") + "\n" + text;
    session.query(`USE ${query.get("database")}`, "TabSeparated");
    return String(session.query(text, "TabSeparated"));
}

http.createServer((request, response) => {
    const parts = [];

    request.on("data", part => parts.push(part));
    request.on("end", () => {
        try {
            response.end(request.method === "GET" ? "Ok.\n"
                : answer(request, Buffer.concat(parts)));
        } catch (error) {
            response.writeHead(500);
            response.end(error.message.replace(/^Query failed: /, ""));
        }
    });
}).listen(Number(port), "127.0.0.1");
