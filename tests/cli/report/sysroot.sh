# SPDX-License-Identifier: Apache-2.0
# needs: recorder
# The program is another by now, and the one that ran is below a folder: each command
# that shows names finds them there.
cat >program.c <<'END'
#include <stdlib.h>
static void *volatile kept;
__attribute__((noipa)) static void hold(void) { kept = malloc(4321); }
int main(void) { hold(); return kept == NULL; }
END
cc -g -Wl,--build-id -o program program.c
tally record --quiet -o a.tally -- ./program
tally record --quiet -o none.tally -- /bin/true
mkdir -p "root/$PWD" && mv program "root/$PWD/" && cp /bin/true program
for command in "report --full" "top -n 1" allocinfo "diff none.tally" "export --to=folded"; do
    echo "${command%% *}: $(tally $command a.tally | grep -c '\<hold\>')" \
        "without, $(tally $command --sysroot=root a.tally | grep -c '\<hold\>') with"
done
for command in "report --full" "top -n 1" allocinfo "diff none.tally" "export --to=folded"; do
    tally $command --sysroot=nowhere a.tally; echo "${command%% *}: $?"
done
