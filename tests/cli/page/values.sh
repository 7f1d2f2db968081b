# SPDX-License-Identifier: Apache-2.0
# Each figure in the table, to the unit, and their sums are those of the report.
# needs: recorder
tally record -q -o a.tally -- "$BUILD_DIR/tests/recorder/bin/phases" >/dev/null
tally export --to html a.tally -o a.html
tally report --json a.tally >a.json
"$PYTHON" -B "$CASE_DIR/values.py" a.html a.json
# Bytes of a library without symbols are attributed to its exported function.
cat >library.c <<'END'
#include <stdlib.h>
#define OWN __attribute__((noinline))
OWN static void *first(size_t size) { return malloc(size); }
OWN static void *second(size_t size) { return (char *)first(size) + 1; }
void *take(size_t size) { return (char *)second(size) + 1; }
END
echo 'extern void *take(unsigned long); int main(void) { take(70); }' >user.c
gcc -O1 -fno-optimize-sibling-calls -shared -fPIC -o libtake.so library.c
strip libtake.so
gcc -g -o user user.c -L. -ltake -Wl,-rpath,"$PWD"
tally record -q -o b.tally ./user
tally export --to html b.tally -o b.html
tally report --json b.tally >b.json
"$PYTHON" -B "$CASE_DIR/values.py" b.html b.json | grep peak
tally report --json b.tally | grep -c '"take"'
