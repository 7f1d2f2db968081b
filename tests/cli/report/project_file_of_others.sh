# SPDX-License-Identifier: Apache-2.0
# A .tally.yaml that is another user's, or lies in another's folder, is passed
# over: for root each other user's, for another user all but its own and root's.
[ "$(id -u)" = 0 ] ||
    { echo "SKIPPED: only root can make a file of another user; run it as root" >&2; exit 77; }
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally stacks
chmod 755 .
mkdir -m 755 inner
cp "$TALLY" inner/tally
cd inner
says() { # USER: how many globs are hidden
    setpriv --reuid="$1" --regid="$1" --clear-groups ./tally report ../a.tally \
        2>&1 >/dev/null | grep -c 'hides 1'
}
echo "hide: ['libread*']" >.tally.yaml
echo "root's: $(says 0) $(says 65534)"
chown 65534 .tally.yaml
echo "another's: $(says 0) $(says 65534) $(says 65533)"
chown 0:65534 .tally.yaml
chmod 664 .tally.yaml
echo "of another's group: $(says 0) $(says 65534) $(says 65533)"
rm .tally.yaml
echo "hide: ['libread*']" >../hidden
ln -s ../hidden .tally.yaml
chown -h 65534 .tally.yaml
echo "another's link to root's: $(says 0) $(says 65534)"
rm .tally.yaml
ln -s /proc/kmsg .tally.yaml
chown -h 65534 .tally.yaml
echo "another's link to what never ends: $(says 0)"
rm .tally.yaml
echo "hide: ['libread*']" >.tally.yaml
chown 65534 .
echo "in another's folder: $(says 0) $(says 65534) $(says 65533)"
chown 0:65533 .
chmod 775 .
echo "in a folder of another's group: $(says 0) $(says 65534) $(says 65533)"
