# SPDX-License-Identifier: Apache-2.0
# needs: recorder
# A program of another machine runs in an emulator without the preload, which
# its loader could not use, and is named.
cat > guest.c <<'END'
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **arguments)
{
    puts(arguments[count - 1]);
    puts(getenv("LD_PRELOAD") == NULL ? "as it was" : getenv("LD_PRELOAD"));
    free(malloc(100));
    return 3;
}
END
aarch64-linux-gnu-gcc -o guest guest.c && [ -x /usr/bin/qemu-aarch64 ] ||
    { echo "SKIPPED: no compiler or emulator for aarch64; scripts/install-deps test" >&2; exit 77; }
aarch64-linux-gnu-gcc -static -o static guest.c
cp /usr/bin/qemu-aarch64 qemu-moved
named='s/.*so not recorded: /named: /p'
for run in "qemu-aarch64 -L /usr/aarch64-linux-gnu ./guest" "./qemu-moved -cpu max ./static"; do
    for form in "$run last" "sh -c '$run last; exit \$?'"; do
        eval "tally record -f -o a.tally -- $form" 2> lines
        echo "$form: $?"
        sed -n "$named" lines
        tally report --full a.tally | sed -n "$named"
        ls a.tally.d 2> /dev/null
        grep ERROR lines
    done
done
# The emulator of a program of this machine is recorded.
tally record -o own.tally -- qemu-x86_64 -h 2>&1 > help |
    sed -n 's/.* live at the end/recorded/p'
