# SPDX-License-Identifier: Apache-2.0
# needs: recorder
# A first screen whose heading and processes take all its rows still has a row
# for the call that held most, and one for a finding.
cat >crowd.c <<'END'
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static void *kept[1000];

static void run(const char *program)
{
    if (fork() == 0) {
        execl(program, program, "child", NULL);
        _exit(1);
    }
    wait(NULL);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return free(malloc(100000000)), 0;
    for (int i = 0; i < 4; i++)
        run(argv[0]);
    run("./still");
    memset(mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 1, 1 << 20);
    for (int i = 0; i < 1000; i++) {
        free(malloc(65536));
        kept[i] = calloc(1, 16384);
        usleep(500);
    }
    return kept[0] == NULL;
}
END
gcc -O0 -s -o crowd crowd.c
echo 'int main(void) { return 0; }' | gcc -static -xc -o still -
mkdir keep
tally record -q --keep=keep --blackbox=1M -o a.tally ./crowd
parent=$(tally report --full a.tally 2>/dev/null |
    sed -n 's/.* MiB live, .* \([0-9]*\) crowd$/\1/p')
tally report --process=$parent a.tally >screen
echo "exit $?"
sed -n 's/^> .* crowd$/the process/p; s/^\(Top\|Findings\).*/\1/p
    s/^ .* %  .*crowd.*/held/p; s/^ \(leak\) .*/\1/p' screen
