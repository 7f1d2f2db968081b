# SPDX-License-Identifier: Apache-2.0
# needs: recorder
# Stacks that end in code without unwind tables: which file that is, and how many.
cat > bare.c <<'END'
#include <stdlib.h>
void *kept[3];
void bare_one(void) { kept[0] = malloc(10); }
void bare_two(void) { kept[1] = malloc(20); }
END
cat > program.c <<'END'
#include <stdlib.h>
extern void *kept[3];
void bare_one(void);
void bare_two(void);
int main(void)
{
    bare_one();
    bare_two();
    kept[2] = malloc(40);
    return 0;
}
END
cc -g -O1 -fPIC -shared -fomit-frame-pointer -fno-asynchronous-unwind-tables \
    -fno-optimize-sibling-calls -o libbare.so bare.c
cc -g -O1 -fasynchronous-unwind-tables -o program program.c ./libbare.so
tally record --quiet -o out.tally -- ./program
tally report --full out.tally | sed -n '/^Accuracy/,/^$/p' | sed "s:$PWD:HERE:g"
tally report --json out.tally | "$PYTHON" -c '
import json, sys
report = json.load(sys.stdin)
for item in report["modules_without_unwind_tables"]:
    print(item["module"].split("/")[-1], item["stacks"])'
tally record --quiet -o whole.tally -- "$PYTHON" -S -c ''
tally report --json whole.tally |
    "$PYTHON" -c 'import json, sys
print(json.load(sys.stdin)["modules_without_unwind_tables"])'
