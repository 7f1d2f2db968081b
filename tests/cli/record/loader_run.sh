# SPDX-License-Identifier: Apache-2.0
# needs: recorder
# The loader is a program too: it is no static one, and what it runs is recorded.
cat > program.c <<'END'
#include <stdlib.h>
int main(void) { free(malloc(10)); return malloc(20) == NULL; }
END
cc -O0 -fno-builtin -o program program.c
loader=$(readelf -l program | sed -n 's/.*interpreter: \(.*\)]/\1/p')
tally record -o a.tally -- "$loader" ./program 2>&1 | sed -n 1p
