# SPDX-License-Identifier: Apache-2.0
for arguments in --bogus "-d 0" "-d x" "-n 0" "-n -1" "-s size" "a b" -d \
    no_such_file 4194305; do
    tally top $arguments
    echo "$arguments: $?"
done
echo nonsense > file
tally top file
echo "file: $?"
