# SPDX-License-Identifier: Apache-2.0
# A name that matches nothing ends each command with 2 and one line.
for name in plain other stacks; do
    "$PYTHON" "$CASE_DIR/../make_ledger.py" $name $name
done
kernel="$CASE_DIR/../data/linux-7.3.4-boot.txt"
try() {
    tally "$@" >out 2>err
    echo "$? $(wc -l <out) $(cat err)"
}
for name in --function=nosuch --file=nosuch.c --module=nosuch; do
    for source in plain stacks "$kernel"; do
        for form in --full --json --format=markdown; do
            try report $form $name $source
        done
        try allocinfo $name $source
    done
    try top -n 1 $name stacks
    try allocinfo --sum $name "$kernel"
    try diff $name plain other
done
try report --callers=nosuch stacks
try report --callers=app+0x110 stacks
try report --callers=app+0x1100 --function=app+0x1200 stacks
try report --focus=nosuch stacks
# These are left.
try report --focus=app+0x1200 plain
try report --hide=nosuch stacks
try report --function=app+0x1200 --min-size=1G stacks
