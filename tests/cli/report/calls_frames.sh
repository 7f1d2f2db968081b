# SPDX-License-Identifier: Apache-2.0
# Files of frames in samples: unknown from a trace alone, named by the ledger of
# the same run; other frames are in code made at run time.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally stacks
cat >a.trace <<'END'
#sampled:4096
#s:0x0;0x555555555100-2
#s:0x0;0x7f00dead0010-1
#m:0x20003240;0x555555555500-4096
END
printf 'int main(void) { return 0; }' | gcc -no-pie -o app -x c -
for elf in '' --elf=app --elf=a.tally; do
    tally report --full $elf a.trace | sed -n '/no name/,$p'
done
# Other images are traces, and not ledgers that cannot be read.
mkdir a.trace.d
cp a.trace a.trace.d/4300-0
tally report --full --elf=a.tally a.trace | sed -n '/ processes/,$p'
"$PYTHON" "$CASE_DIR/../make_ledger.py" lossy.tally lost_module
tally report --full lossy.tally | sed -n '/no name/,$p'
