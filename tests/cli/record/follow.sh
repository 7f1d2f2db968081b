# SPDX-License-Identifier: Apache-2.0
# needs: recorder
cat > program.c <<'END'
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    void *volatile block = malloc(10);

    if (argc > 1)
        return 0; /* the image that exec made */
    if (fork() == 0) {
        block = malloc(20);
        _exit(block == NULL);
    }
    wait(NULL);
    execl(argv[0], argv[0], "again", NULL);
    return 1;
}
END
cc -o program program.c
for which in none fork exec all; do
    tally record -q -o "$which.tally" --follow=$which -- ./program
    echo "$which: $(ls "$which.tally.d" 2> /dev/null |
        sed 's/^[0-9]*-/PID-/' | tr '\n' ' ')"
done
