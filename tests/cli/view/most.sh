# SPDX-License-Identifier: Apache-2.0
# needs: recorder
# With tally record's PID the page stays with the process that had most bytes at
# first, and one message says so.
cat >hold.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int count, char **sizes)
{
    for (int i = 1; i < count; i++) {
        if (calloc(1, (size_t)atoi(sizes[i])) != NULL)
            puts(sizes[i]);
        fflush(stdout);
        if (i + 1 < count)
            getchar();
    }
    return pause();
}
END
gcc -O0 -o hold hold.c
cp hold more
"$PYTHON" -B "$CASE_DIR/most.py" "$TALLY"
