# SPDX-License-Identifier: Apache-2.0
# needs: recorder
# Files named by a ledger or a program's file are opened only if regular: a
# named pipe without a writer would block for ever.
cat >program.c <<'END'
#include <stdlib.h>
int main(void)
{
    return malloc(1000) == NULL;
}
END
report() { # PROGRAM
    tally record --quiet -o "$1.tally" -- "./$1" || exit
    shift
    "$@"
    timeout 60 tally report --json "${2%.*}.tally" >"${2%.*}.json"
    echo "$2: $?"
}
make_pipe() {
    rm -f "$1" && mkfifo "$1"
}

cc -g program.c -o linked
objcopy --only-keep-debug linked linked.debug
objcopy --strip-debug --remove-section=.note.gnu.build-id \
    --add-gnu-debuglink=linked.debug linked
report linked make_pipe linked.debug
cc -g -gsplit-dwarf program.c -o split
ls *.dwo >/dev/null || exit
mv *.dwo kept.dwo
for name in split-program.dwo program.dwo; do make_pipe "$name"; done
report split make_pipe split.dwo
cc program.c -o program
report program make_pipe program

# A pipe among the ledgers of the images.
mkdir -p linked.tally.d && mkfifo linked.tally.d/99999-0
timeout 60 tally report linked.tally >/dev/null
echo "an image: $?"
for command in "report --all" "export --all --to=folded -o out" \
    "diff --all linked.tally"; do
    timeout 60 tally $command linked.tally 2>&1 >/dev/null |
        sed 's/^tally: .*99999-0: /99999-0: /'
done
