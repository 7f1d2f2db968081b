# SPDX-License-Identifier: Apache-2.0
# Names that forge records, steer a terminal or turn text round, in every
# output.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally hostile
"$PYTHON" "$CASE_DIR/../make_ledger.py" plain.tally plain
cat >safe.py <<'END'
import collections, gzip, json, os, pty, subprocess, sys, unicodedata


def say(what, text):
    odd = [one for one in set(text) - {"\n"}
           if unicodedata.category(one) in ("Cc", "Cf", "Zl", "Zp")]
    print(what, "odd" if odd else "safe")


def run(*words):
    done = subprocess.run(["tally", *words], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=True)
    return done.stdout


for words in ("report", "report --callers function", "report --leaks",
              "report --json", "allocinfo",
              "allocinfo --format=2.0 --totals", "allocinfo --sum",
              "diff plain.tally", "diff --json plain.tally",
              "export --to=folded", "export --to=svg",
              "export --to=speedscope"):
    say(words, run(*words.split(), "a.tally").decode("utf-8"))

json.loads(run("report", "--json", "a.tally"))
json.loads(run("export", "--to=speedscope", "a.tally"))

# Lines of heaptrack's format, and strings as long as they say.
text = gzip.decompress(run("export", "--to=heaptrack", "a.tally")).decode()
say("export --to=heaptrack", text)
kinds = collections.Counter(line.split(" ")[0] for line in text.splitlines())
print("+ lines", kinds["+"], "- lines", kinds["-"],
      "others", sorted(set(kinds) - set("vXIsita+-c#")))
for line in text.splitlines():
    if line.startswith("s "):
        _, length, string = line.split(" ", 2)
        assert int(length, 16) == len(string.encode()), line

# Strings of pprof: field 6.
data, at, strings = gzip.decompress(run("export", "--to=pprof", "a.tally")), 0, []


def varint():
    global at
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value


while at < len(data):
    key = varint()
    if key & 7 == 0:
        varint()
    else:
        length = varint()
        if key >> 3 == 6:
            strings.append(data[at:at + length].decode("utf-8"))
        at += length
say("export --to=pprof", "".join(strings))

# Rows of a text go by to the byte, but not to a terminal.
row = "        4096        1 a\u009b2J\u202e\u200b.c:7 func:f\n"
with open("kernel.txt", "w", encoding="utf-8") as file:
    file.write("allocinfo - version: 1.0\n#     <size>  <calls> <tag info>\n"
               + row)
print("to a pipe", row.encode() in run("allocinfo", "kernel.txt"))
shown = b""


def read(fd):
    global shown
    got = os.read(fd, 4096)
    shown += got
    return b""


pty.spawn(["tally", "allocinfo", "kernel.txt"], read)
say("to a terminal", shown.decode().replace("\r\n", "\n"))
END
"$PYTHON" safe.py </dev/null
