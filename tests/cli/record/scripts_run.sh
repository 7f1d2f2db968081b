# SPDX-License-Identifier: Apache-2.0
# needs: recorder
printf '#!/bin/sh\necho "by a line: $1"\n' > first && chmod +x first
printf 'echo "by the shell: $1"; exit 3\n' > second && chmod +x second
PATH=.:$PATH
tally record -q -o a.tally first one
tally record -q -o b.tally -- second two; echo $?
tally record -q -o c.tally ./first three
ls
