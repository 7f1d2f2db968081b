# SPDX-License-Identifier: Apache-2.0
# needs: recorder
# A call without a name, made by a module that links its library, is its
# interface's: the caller is blamed. One made through an address is not.
cat >inner.c <<'EOF'
#include <stdlib.h>
#define OWN __attribute__((noinline))
extern void *each(void *(*call)(size_t), size_t size);
static void *volatile last;
OWN static void *fill(size_t size) { return last = malloc(size); }
OWN static void *visit(size_t size) { return last = malloc(size); }
void *jump(size_t size) { return fill(size); }
void *walk(size_t size) { return last = each(visit, size); }
EOF
cat >outer.c <<'EOF'
#include <stddef.h>
static void *volatile last;
void *each(void *(*call)(size_t), size_t size) { return last = call(size); }
EOF
cat >holder.c <<'EOF'
#include <stddef.h>
extern void *jump(size_t), *walk(size_t);
void *volatile held[2];
__attribute__((noinline)) static void hold(void) { held[0] = jump(70); }
__attribute__((noinline)) static void grip(void) { held[1] = walk(80); }
int main(void) { hold(); grip(); }
EOF
gcc -O2 -shared -fPIC -o libouter.so outer.c
gcc -O2 -shared -fPIC -o libinner.so inner.c -L. -louter -Wl,-rpath,"$PWD"
strip libinner.so
gcc -g -O0 -o holder holder.c -L. -linner -louter -Wl,-rpath,"$PWD"
tally record -q -o a.tally ./holder
tally report --full --sort=total --color=never a.tally |
    sed -n '/^Called/,$ {/^ *[78]0  /{s/+0x[0-9a-f]*/+PLACE/;s|/[^ ]*/||;s/^ *//;p;};}'
