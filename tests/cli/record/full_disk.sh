# SPDX-License-Identifier: Apache-2.0
# needs: recorder
mkdir disk
mount -t tmpfs -o size=16k tmpfs disk 2> /dev/null || {
    echo "SKIPPED: no tmpfs can be mounted; run it as root" >&2
    exit 77
}
trap 'umount disk' EXIT
tally record -o disk/a.tally -- /bin/sh -c 'echo unchanged; exit 5'
echo $?
ls -A disk
