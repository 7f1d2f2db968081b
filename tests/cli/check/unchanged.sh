# SPDX-License-Identifier: Apache-2.0
# needs: recorder
# No run of an unchanged program fails: 20 of each, with the differences of 5
# baselines.
for program in gcc sqlite3; do
    command -v $program >/dev/null || {
        echo "SKIPPED: no $program; scripts/install-deps test" >&2
        exit 77
    }
done
cat >threads.c <<'END'
#include <pthread.h>
#include <stdlib.h>
static void *work(void *argument)
{
    for (int i = 0; i < 2000; i++) {
        char *block = malloc(64 + (size_t)(i % 50) * 100);
        __asm__ volatile("" : "+r"(block));
        free(block);
    }
    return argument;
}
int main(void)
{
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
END
gcc -O1 -g -o threads threads.c -pthread
cat >budget.yaml <<'END'
rules:
  - growth peak <= 0
  - growth live <= 0
  - growth total <= 0
  - growth allocations <= 0
  - growth temporary <= 0
END
judge() {
    baselines=
    ledgers=
    for run in $(seq 25); do
        tally record -q -o "$1.$run.tally" "$@" >/dev/null
        if [ "$run" -le 5 ]; then
            baselines="$baselines --baseline=$1.$run.tally"
        else
            ledgers="$ledgers $1.$run.tally"
        fi
    done
    # shellcheck disable=SC2086
    tally check --budget=budget.yaml $baselines $ledgers
}
PATH="$PATH:."
judge python3 -I -S -c 'print(sorted(str(i) for i in range(2000))[7])'
judge sqlite3 :memory: 'create table t(a); insert into t values(1); select * from t'
judge threads
