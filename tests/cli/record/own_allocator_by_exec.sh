# SPDX-License-Identifier: Apache-2.0
# needs: recorder
# A program that another becomes by exec brings malloc itself: it is patched or, with a
# free that is too short, its report says why not. One that only takes malloc's address
# is like any other.
cat > program.c <<'END'
#include <stddef.h>
static char pool[1 << 20] __attribute__((aligned(16)));
static size_t used;
void *malloc(size_t size)
{
    used += (size + 15) & ~(size_t)15;
    return pool + used - ((size + 15) & ~(size_t)15);
}
#ifdef SHORT
void free(void *block);
__asm__(".globl free\n.type free, @function\nfree: ret\n.size free, . - free\n");
#else
void free(void *block) { (void)block; }
#endif
void *calloc(size_t count, size_t size) { return malloc(count * size); }
void *realloc(void *block, size_t size) { return block == NULL ? malloc(size) : NULL; }
int main(void) { free(malloc(10)); return 0; }
END
cat > caller.c <<'END'
#include <stdlib.h>
void *(*volatile function)(size_t) = malloc;
int main(void) { free(function(10)); return 0; }
END
cc -O0 -fno-builtin -o program program.c
cc -O0 -fno-builtin -DSHORT -o short program.c
cc -O0 -no-pie -fno-pie -o caller caller.c
for name in program short caller; do
    tally record -q -o $name.tally -- sh -c "exec ./$name"
    tally report --json $name.tally.d/* | jq -c '.totals.allocations, .coverage.unrecorded,
        (.notices[] | [.code, (.text | sub(".*/"; ""))])'
done
