# SPDX-License-Identifier: Apache-2.0
# needs: recorder
# The process with most bytes: reserved address space counts for nothing beside
# a heap, and alone for a program without one.
cat >maps.c <<'END'
#include <stdlib.h>
#include <sys/mman.h>
int main(int count, char **arguments)
{
    void *block = count > 1 ? calloc(1, (size_t)atoi(arguments[1])) : NULL;

    mmap(NULL, 1 << 30, PROT_READ | PROT_WRITE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    free(block);
}
END
gcc -O0 -o reserves maps.c
cp reserves holds
echo './reserves 1000; ./holds 3000000; true' >both.sh
echo './reserves; true' >alone.sh
for name in both alone; do
    tally record -q -o $name.tally sh $name.sh
    tally report $name.tally 2>/dev/null | sed -n 's/^> *\(.*peak\),.* \([hr][a-z]*\).*/\1 \2/p'
done
