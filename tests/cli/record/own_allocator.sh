# SPDX-License-Identifier: Apache-2.0
# needs: recorder
cat > program.c <<'END'
#include <stdlib.h>
void *mi_malloc(size_t size);
__attribute__((noinline)) void *mi_malloc(size_t size) { return malloc(size); }
int main(void) { free(mi_malloc(10)); return 0; }
END
cc -O0 -o program program.c
tally record -o a.tally -- ./program
strip program
tally record -o b.tally -- ./program
