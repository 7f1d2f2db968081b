# SPDX-License-Identifier: Apache-2.0
# needs: recorder
# Two lines of one function are two frames, each with its line.
cat > two.c <<'E'
#include <stdlib.h>

int main(void)
{
    void *volatile kept = malloc(3000);

    kept = malloc(1000);
    return kept == NULL;
}
E
cc -g -O0 -o two two.c
tally record --quiet -o two.tally ./two
tally export --to svg two.tally >two.svg
"$PYTHON" - <<'E'
import re
text = open("two.svg").read()
still = re.findall(r"<title>main\n\S*/(.*)\n([^<]*)</title>.*>([^<]*)</text>",
                   text)
print(*sorted(still), sep="\n")
node = re.search(r'"node":(\[.*\])', text).group(1)
names = eval(re.search(r'"names":(\[.*\])', text).group(1))
print(sorted(names[row[2]].rsplit("/", 1)[1] for row in eval(node)
             if names[row[0]] == "main"))
E
