# SPDX-License-Identifier: Apache-2.0
# Names of any bytes are texts: no element, no script, no line of their own.
"$PYTHON" - >kernel.txt <<'END'
long_name = "n" * 100000
names = ["<script>document.title=1</script>", '"><img/src=x/onerror=alert(1)>',
         "a\u2028b", "\u202eder", "</script><h1>x", long_name, "${7*7}"]
print("allocinfo - version: 1.0\n#     <size>  <calls> <tag info>")
for number, name in enumerate(names):
    print(f"{4096 + number:12} 1 a.c:{number + 1} func:{name} ")
END
tally export --to html -o a.html kernel.txt
"$PYTHON" -B "$CASE_DIR/hostile.py" a.html
printf 'allocinfo - version: 1.0\n#     <size>  <calls> <tag info>\n' >empty.txt
tally export --to html -o empty.html empty.txt
"$PYTHON" -B "$CASE_DIR/hostile.py" empty.html
head -c "$(($(stat -c %s a.html) - 600))" a.html >cut.html
"$PYTHON" -B "$CASE_DIR/hostile.py" cut.html
