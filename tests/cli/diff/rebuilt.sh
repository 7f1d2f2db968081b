# SPDX-License-Identifier: Apache-2.0
# needs: recorder
# What has the same calls is the same, 50 lines further down, in another folder,
# and compiled another way.
command -v gcc >/dev/null || {
    echo "SKIPPED: no gcc; scripts/install-deps build" >&2
    exit 77
}
mkdir one two
cat >one/prog.c <<'END'
#include <stdlib.h>
#include <string.h>
struct node {
    struct node *next;
    char name[40];
};
static struct node *all;
static void keep(size_t size)
{
    struct node *node = malloc(sizeof *node + size);
    node->next = all;
    all = node;
}
__attribute__((noinline)) static void parse(unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        keep(i);
        if (i % 2)
            keep(2 * i);
        char *text = malloc(100);
        __asm__ volatile("" : "+r"(text));
        free(text);
    }
}
int main(void)
{
    parse(10);
    all->name[0] = *strdup("abc");
    parse(3);
    return 0;
}
END
{
    seq 50 | sed 's,.*,/* & */,'
    cat one/prog.c
} >two/prog.c
gcc -O2 -g -o one/prog "$PWD/one/prog.c"
gcc -O1 -g -o two/prog "$PWD/two/prog.c"
for stacks in all caller; do
    tally record -q --stacks=$stacks -o one.$stacks one/prog
    tally record -q --stacks=$stacks -o two.$stacks two/prog
    for value in live peak total blocks temporary; do
        tally diff --fail-over=0 --value=$value one.$stacks two.$stacks >out
        echo "$stacks $value: $?"
        sed 1,4d out
    done
done
printf 'rules:\n  - growth live = 0\n  - growth live parse <= 0\n' >b.yaml
tally check --budget=b.yaml --baseline=one.all two.all
