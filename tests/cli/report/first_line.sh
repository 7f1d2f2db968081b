# SPDX-License-Identifier: Apache-2.0
# needs: recorder
# On a screen the command line is cut to one line; elsewhere it is whole.
tally record -q -o x.tally -- /bin/echo $(seq -w 500) > /dev/null
screen() {
    script -q -c "stty cols $1; tally report --full --no-pager --color=never x.tally" /dev/null \
        < /dev/null | head -1 | tr -d '\r\n'
}
tally report --full x.tally | head -1 | grep -c ' 499 500 (process [0-9]*)$'
for columns in 60 100; do
    screen $columns | grep -c '^/bin/echo 001 [0-9 ]*\.\.\. (process [0-9]*)$'
    screen $columns | wc -m
done
screen 30 | wc -m
