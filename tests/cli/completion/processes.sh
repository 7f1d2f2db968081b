# SPDX-License-Identifier: Apache-2.0
# needs: recorder
# Processes that are recorded are offered, and no others.
mkfifo in out
tally record -q -o x.tally -- bash -c 'echo $$; read line' < in > out &
exec 8> in 9< out
read -r pid <&9
offered() { grep -q "^$1	bash\$" answer && echo "$2 is offered"; }
for command in report snapshot top diff export ctl allocinfo detach attach; do
    tally completion --words $command "" > answer
    offered "$pid" "$command: the recorded one"
    offered $$ "$command: ours"
done
tally completion --words attach "" | grep -q "^$$	" &&
    echo "attach: what is not recorded is offered"
tally completion --words snapshot "${pid%?}" > answer
offered "$pid" "by its first digits it"
for arguments in "decode" "capture" "snapshot x" "ctl $pid" "attach 1"; do
    tally completion --words $arguments "" > answer
    offered "$pid" "$arguments"
done
echo "" >&8
wait
tally completion --words snapshot "" > answer
offered "$pid" "one that has ended"
