# SPDX-License-Identifier: Apache-2.0
# needs: recorder
# A malloc in the executable that hands on hides nothing, so nothing is said.
cat > program.c <<'END'
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
void *malloc(size_t size)
{
    static void *(*next)(size_t);
    if (next == NULL)
        *(void **)&next = dlsym(RTLD_NEXT, "malloc");
    return next(size);
}
int main(void)
{
    char *volatile text = strdup("by libc");
    void *volatile block = malloc(100);
    free(block);
    free(text);
}
END
gcc -D_GNU_SOURCE -O2 -fno-builtin -o program program.c
tally record -o a.tally -- ./program 2>&1 | head -n 1
tally report --json a.tally | jq -c '.notices'
