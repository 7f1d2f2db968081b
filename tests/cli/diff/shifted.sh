# SPDX-License-Identifier: Apache-2.0
# A call is the same though all lines below it shifted: by its function, what it
# calls, and its ordinal there.
command -v gcc >/dev/null || {
    echo "SKIPPED: no gcc; scripts/install-deps build" >&2
    exit 77
}
cat >v1.c <<'END'
#include <stdlib.h>
__attribute__((noinline)) void *grab(size_t size)
{
    void *block = malloc(size);
    __asm__ volatile("" : "+r"(block));
    return block;
}
__attribute__((noinline)) int parse(void)
{
    int sum = grab(100) != 0;
    sum += grab(200) != 0;
    return sum;
}
int main(void)
{
    int result = parse();
    __asm__ volatile("" : "+r"(result));
    return result;
}
END
{
    sed -n 1p v1.c
    echo "/* One line more"
    echo "   and another. */"
    sed 1d v1.c | sed "s/^    int sum = /    int sum = 0;\n    sum += /"
} >v2.c
sed "s/^    return sum;/    sum += grab(300) != 0;\n    return sum;/" v2.c >v3.c
for version in 1 2 3; do
    gcc -O1 -g -fdebug-prefix-map="$PWD"=/src -o v$version v$version.c
done
"$PYTHON" "$CASE_DIR/shifted.py" v1.tally v1 100 200
"$PYTHON" "$CASE_DIR/shifted.py" v2.tally v2 100 900
"$PYTHON" "$CASE_DIR/shifted.py" v3.tally v3 100 200 300
echo "one holds more, and lines shifted"
tally diff v1.tally v2.tally
echo "nothing grew"
tally diff --fail-over=0 v1.tally v1.tally | tail -1
echo "a call more: which is which is not known, so all of parse's are one"
tally diff v2.tally v3.tally | sed -n '/^Growth/,$p'
echo "one build: its addresses tell"
"$PYTHON" "$CASE_DIR/shifted.py" few.tally v3 100 200
tally diff few.tally v3.tally | sed -n '/^Growth/,$p'
tally diff --fail-over=100 v1.tally v2.tally >/dev/null
echo $?
