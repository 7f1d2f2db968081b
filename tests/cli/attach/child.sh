# SPDX-License-Identifier: Apache-2.0
# needs: recorder
# A report begins with the process that was attached to, whatever its children
# held.
cat >parent.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
    getchar();
    free(malloc(1000));
    if (fork() == 0)
        _exit(malloc(1000000) == NULL);
    wait(NULL);
}
END
gcc -O0 -o parent parent.c
mkfifo go
./parent <go &
pid=$!
exec 3>go
: >said
tally attach -o a.tally $pid 2>said &
for try in $(seq 600); do
    grep -q '^tally: attached' said && break
    sleep 0.1
done
echo >&3
wait
tally report a.tally 2>&1 | grep -c "^process $pid,"
tally report a.tally | grep -c ' peak, .* live'
