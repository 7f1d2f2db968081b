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
E
