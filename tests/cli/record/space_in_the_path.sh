# SPDX-License-Identifier: Apache-2.0
# needs: recorder
mkdir -p 'a b:c/bin' 'a b:c/lib'
ln "$TALLY" 'a b:c/bin/tally' 2> /dev/null || cp "$TALLY" 'a b:c/bin/tally'
cp "$BUILD_DIR/lib/libtally-record.so" 'a b:c/lib/'
export TMPDIR="$PWD"
'a b:c/bin/tally' record -q -o x.tally -- /bin/sh -c \
    'test -f "$LD_PRELOAD" && echo there; echo "$LD_PRELOAD" | grep -c "[ :]"'
ls
