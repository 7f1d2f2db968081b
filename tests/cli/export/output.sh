# SPDX-License-Identifier: Apache-2.0
# A file of that name stays as it is; a full disk leaves none.
cp "$CASE_DIR/../data/linux-7.3.4-boot.txt" kernel.txt
echo mine >there
tally export --to folded -o there kernel.txt
echo $?
cat there
tally export --to folded -o no/such/folder kernel.txt
echo $?
tally export --to folded -o new kernel.txt
echo $?
tally export --to folded -o - kernel.txt | cmp - new && echo same
tally export --to folded kernel.txt >/dev/full
echo $?
(
    ulimit -f 1
    trap "" XFSZ
    tally export --to svg -o large kernel.txt
    echo $?
)
ls
"$PYTHON" -c 'import os, pty
print(os.waitstatus_to_exitcode(pty.spawn(["tally", "export", "--to", "html", "kernel.txt"])))' | tr -d '\r'
