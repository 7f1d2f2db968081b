# SPDX-License-Identifier: Apache-2.0
# needs: recorder
# A program without a build-id that was built anew: nothing tells that it is another.
cat >program.c <<'END'
#include <stdlib.h>
static void *volatile kept;
int main(void) { kept = malloc(NUMBER); return kept == NULL; }
END
cc -g -DNUMBER=10 -Wl,--build-id=none -o program program.c
touch -d "2001-01-01" program
tally record --quiet -o a.tally -- ./program
tally report --full a.tally | grep -A1 "may be wrong"
touch program
tally report --full a.tally | sed -n '/may be wrong/,$p'
tally report --json a.tally | jq -c '.changed_modules | map(sub(".*/"; ""))'
tally export --to heaptrack a.tally | gzip -dc | grep "may be wrong"
# However long the path is, the comment ends with its line.
long=$(printf %0250d 0)
mkdir "$long" && cp program "$long/"
tally record --quiet -o long.tally -- "./$long/program"
touch -d "2037-01-01" "$long/program"
tally export --to heaptrack long.tally | gzip -dc | grep -c "^# names in .* after the run$"
mkdir -p "root/$PWD" && cp program "root/$PWD/"
tally report --full --sysroot=root a.tally | grep -c "may be wrong"
cc -g -DNUMBER=10 -o program program.c
tally record --quiet -o b.tally -- ./program
touch program
tally report --full b.tally | grep -c "may be wrong"
tally report --json b.tally | jq -c '.changed_modules'
true
