# SPDX-License-Identifier: Apache-2.0
"""The input files of the jobs of both tables, always the same."""

import json
import os

LINES = 20000

WORK_PY = """
import collections, hashlib, json, re
words = [hashlib.md5(str(i).encode()).hexdigest() for i in range(20000)]
tree = collections.defaultdict(list)
for word in words:
    tree[word[:2]].append(word)
text = json.dumps(tree, sort_keys=True)
assert json.loads(text) == tree
print(len(text), len(re.findall('a[0-9]b', text)))
raise SystemExit(5)
"""

THREADS_PY = """
import subprocess, threading
found = []
def work(number):
    found.append(sum(len(str(i) * number) for i in range(5000)))
threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(sorted(found), subprocess.check_output(['echo', 'child']))
"""

WORK_JS = """
const parts = new Map();
for (let i = 0; i < 200000; i++) {
  const key = (i * 2654435761 % 4093).toString(36);
  parts.set(key, (parts.get(key) || '') + String.fromCharCode(97 + i % 26));
}
let total = 0;
for (const [key, value] of parts) total += key.length * value.length;
const zlib = require('zlib');
const packed = zlib.gzipSync(Buffer.alloc(1 << 20, 'tally'));
console.log(parts.size, total, zlib.gunzipSync(packed).length);
process.exitCode = 7;
"""

WORK_LUA = """
local parts = {}
for i = 1, 100000 do parts[#parts + 1] = ('%x'):format(i * 7919 % 65537) end
table.sort(parts)
print(#table.concat(parts, ','), parts[1], parts[#parts])
"""

WORK_TCL = """
for {set i 0} {$i < 20000} {incr i} { lappend l [expr {$i * 7919 % 65537}] }
puts "[llength [lsort -integer -unique $l]] [lindex [lsort $l] 77]"
"""

PROGRAM_C = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct node { struct node *next; char text[24]; };
int main(void)
{
    struct node *list = NULL;
    for (int i = 0; i < 1000; i++) {
        struct node *node = malloc(sizeof *node);
        snprintf(node->text, sizeof node->text, "%d", i * i);
        node->next = list;
        list = node;
    }
    size_t total = 0;
    while (list != NULL) {
        struct node *next = list->next;
        total += strlen(list->text);
        free(list);
        list = next;
    }
    printf("%zu\\n", total);
    return 0;
}
"""

PROGRAM_CPP = """
#include <algorithm>
#include <iostream>
#include <map>
#include <string>
#include <vector>
int main()
{
    std::map<std::string, std::vector<int>> all;
    for (int i = 0; i < 1000; i++)
        all[std::to_string(i % 37)].push_back(i);
    for (auto &entry : all)
        std::sort(entry.second.rbegin(), entry.second.rend());
    std::cout << all.size() << all["7"].front() << std::endl;
}
"""

MAKEFILE = """
parts := $(foreach n,1 2 3 4 5 6 7 8,part$(n).txt)
all: all.txt
all.txt: $(parts)
\tcat $^ >$@
part%.txt:
\tseq $* 1000 | sort >$@
"""

CMAKE_LISTS = """
cmake_minimum_required(VERSION 3.20)
project(sample C)
add_executable(sample ../program.c)
"""

TABLE_SQL = """
create table t(id integer primary key, name text, size integer);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000)
insert into t select i, 'name' || (i * 7919 % 65537), i % 1009 from n;
create index by_name on t(name);
select count(*), sum(length(name)) from t where name like 'name1%';
select size, count(*) from t group by size order by 2 desc, 1 limit 5;
delete from t where id % 3 = 0;
select count(*) from t;
select nothing from nowhere;
"""


WAIT_FOR_PORT = """
tries=0
until nc -z 127.0.0.1 "$PORT"; do
    tries=$((tries + 1))
    [ $tries -lt 600 ] || exit 1
    sleep 0.1
done
"""


def lines(step):
    return "".join(f"{number * step % 1000003:x} line {number % 977}\n"
                   for number in range(LINES))


def files():
    """Yield name and text of each file."""
    numbers = range(5000)
    yield "lines.txt", lines(7919)
    yield "other.txt", lines(7919).replace("77", "seventy-seven")
    yield "data.json", json.dumps(
        [{"id": n, "name": "n" * (n % 13), "list": [n] * 5} for n in numbers])
    yield "data.xml", "<root>" + "".join(
        f"<item kind='{'odd' if n % 2 else 'even'}'><n>{n}</n></item>"
        for n in numbers) + "</root>\n"
    yield "work.py", WORK_PY
    yield "threads.py", THREADS_PY
    yield "work.js", WORK_JS
    yield "work.lua", WORK_LUA
    yield "work.tcl", WORK_TCL
    yield "program.c", PROGRAM_C
    yield "program.cpp", PROGRAM_CPP
    yield "project/Makefile", MAKEFILE
    yield "project/CMakeLists.txt", CMAKE_LISTS
    yield "table.sql", TABLE_SQL
    yield "wait_for_port", WAIT_FOR_PORT
    yield "pi.bc", "scale=300\n4*a(1)\n2^500\n"
    for number in range(200):
        yield f"tree/{number % 10}/file{number}", f"{number}\n" * 20


def write_texts(folder, texts):
    for name, text in texts:
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.utime(path, (1_000_000_000, 1_000_000_000))


def write(folder):
    write_texts(folder, files())
