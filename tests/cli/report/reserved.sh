# SPDX-License-Identifier: Apache-2.0
# needs: recorder
# Address space that is only reserved is not on the first screen; names in 80
# columns keep their lines, in a pipe all; an instant has no peak.
cat >a_program_of_which_the_source_has_a_name_that_is_long.c <<'END'
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
static void *volatile kept[8];
static void a_function_that_holds_most_of_the_memory_of_all(void)
{
    kept[0] = memset(malloc(3 << 20), 1, 3 << 20);
}
static void use(void)
{
    size_t size = 1 << 20;
    kept[1] = memset(mmap(NULL, size, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 1, size);
}
static void reserve(void)
{
    kept[2] = mmap(NULL, 1 << 30, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}
int main(void)
{
    a_function_that_holds_most_of_the_memory_of_all();
    use();
    reserve();
    usleep(600000);
}
END
gcc -O0 -g -o program a_program_*.c
tally record -q -o a.tally ./program
COLUMNS=80 tally report a.tally | sed -n 's/ after about.*//; /^  peak\|^  mmap\|^ .*%  /p'
tally report a.tally | grep '75.0 %'
tally report --at=peak --full a.tally | grep 'peak bytes\|live bytes' | wc -l
