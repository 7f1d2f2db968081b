# SPDX-License-Identifier: Apache-2.0
# needs: recorder
# A program that cannot be started ends tally record as it ends env.
mkdir folder bin
printf '#!/bin/sh\n' > bin/refused
cp bin/refused refused
printf '#!/no/such/shell\n' > no_shell && chmod +x no_shell
printf '#!%s/refused\n' "$PWD" > bad_shell && chmod +x bad_shell
echo 'int main(void) { return 0; }' > program.c
cc -Wl,--dynamic-linker=/no/such/loader -o no_loader program.c
long=$("$PYTHON" -c 'print("/" * 5000 + "x")')
PATH=$PWD/bin:$PATH
for program in missing ./missing '' refused ./refused ./folder folder/ refused/x \
    ./no_shell ./bad_shell ./no_loader "$long"; do
    env "$program" 2> /dev/null; plain=$?
    tally record -o x.tally -- "$program" 2>&1 | sed "s:$PWD:HERE:g"
    tally record -o x.tally -- "$program" 2> /dev/null
    echo "$?, env: $plain"
done
# Other refusals end with 2, and so does a command line that makes no sense.
tally record -o no/x.tally -- /bin/true; echo $?
tally record --no-such-option -- /bin/true 2> /dev/null; echo $?
tally record 2> /dev/null; echo $?
ls *.tally 2> /dev/null
exit 0
