# SPDX-License-Identifier: Apache-2.0
# needs: recorder
# The kernel runs a program of another machine by an emulator (binfmt_misc). The
# emulator is known in namespaces of our own alone.
[ -x /usr/bin/qemu-aarch64 ] && aarch64-linux-gnu-gcc --version > version ||
    { echo "SKIPPED: no compiler or emulator for aarch64; scripts/install-deps test" >&2; exit 77; }
cat > known.sh <<'END'
mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc 2> /dev/null ||
    { echo "SKIPPED: namespaces have no binfmt_misc; needs Linux 6.7 and unshare -Urm" >&2; exit 77; }
printf '%s' ':tally:M:0:\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00:\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff:/usr/bin/qemu-aarch64:' \
    > /proc/sys/fs/binfmt_misc/register
./guest; echo $?
tally record -o a.tally -- sh -c './guest; exit $?' 2> lines; echo $?
sed -n 's/.*so not recorded: /named: /p' lines
ls a.tally.d 2> /dev/null
grep ERROR lines
exit 0
END
cat > guest.c <<'END'
#include <stdio.h>
int main(void) { return puts("guest") < 0; }
END
aarch64-linux-gnu-gcc -o guest guest.c
unshare -Urm true 2> /dev/null ||
    { echo "SKIPPED: no user namespace can be made; allow unshare -Urm" >&2; exit 77; }
QEMU_LD_PREFIX=/usr/aarch64-linux-gnu unshare -Urm sh known.sh
