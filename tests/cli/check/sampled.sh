# SPDX-License-Identifier: Apache-2.0
# needs: recorder
# A difference within the error of sampling fails no gate, and is said.
command -v gcc >/dev/null || {
    echo "SKIPPED: no gcc; scripts/install-deps test" >&2
    exit 77
}
cat >keep.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static void keep(int blocks)
{
    while (blocks-- > 0) {
        void *block = malloc(1000);
        __asm__ volatile("" : "+r"(block));
    }
}
/* Keep so many blocks; then, once a line is read, as many more. */
int main(int argc, char **argv)
{
    char line;
    FILE *out;

    keep(atoi(argv[1]));
    if (argc == 2)
        return 0;
    out = fopen("pid", "w");
    fprintf(out, "%d", (int)getpid());
    fclose(out);
    rename("pid", "ready");
    if (read(0, &line, 1) == 1)
        keep(atoi(argv[2]));
    return 0;
}
END
gcc -O1 -g -o keep keep.c
record() {
    tally record -q --stacks=sampled --interval=64K "$@"
}
record --seed=1 -o before.tally ./keep 20000
record --seed=2 -o same.tally ./keep 20000
record --seed=3 -o twice.tally ./keep 40000
record --seed=4 -o none.tally ./keep 0

# 20 MB are 305 samples: 11 % more or less.
states() {
    tally check --json "$@" 2>/dev/null | python3 -c '
import json, sys
for result in json.load(sys.stdin)["results"]:
    print(result["rule"] + ":", result["state"],
          "within the error of sampling" in result["message"])'
}
echo "Unchanged:"
states --baseline=before.tally same.tally
tally check --baseline=before.tally same.tally >/dev/null 2>&1
echo "exit $?"
tally diff --fail-over=0 same.tally before.tally >text 2>/dev/null
echo "exit $?"
tally diff --fail-over=0 before.tally same.tally >>text 2>/dev/null
echo "exit $?"
grep 'exceeds' text
for order in 'before.tally same.tally' 'same.tally before.tally'; do
    # shellcheck disable=SC2086
    tally diff --fail-over=0 --format=markdown $order 2>/dev/null
done | grep -c 'not judged'
echo "Twice as much:"
states --baseline=before.tally twice.tally
tally diff --fail-over=5 before.tally twice.tally >/dev/null 2>&1
echo "exit $?"

cat >bounds.yaml <<'END'
rules:
  - live <= 30 MB
  - live <= 20 MB
  - live <= 10 MB
  - live keep <= 10 MB
  - live keep <= 99 %
  - leaks = 0
END
echo "Bounds:"
states --budget=bounds.yaml same.tally
echo 'rules: [leaks = 0]' >none.yaml
states --budget=none.yaml none.tally

# Blocks that are live in both readings of a process cancel: 4 MB more are
# certain, as they are not between two runs.
mkfifo go
record --seed=5 -o after.tally ./keep 20000 4000 <go &
exec 3>go
while [ ! -e ready ]; do sleep 0.1; done
tally snapshot -q -o earlier.tally "$(cat ready)"
echo >&3
exec 3>&-
wait
record --seed=6 -o more.tally ./keep 24000
echo 'rules: [growth live <= 2 MB]' >growth.yaml
echo "Growth:"
states --budget=growth.yaml --baseline=earlier.tally after.tally
states --budget=growth.yaml --baseline=before.tally more.tally
