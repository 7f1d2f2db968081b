# SPDX-License-Identifier: Apache-2.0
# A log goes on over resets: the last boot counts from zero, and the report says
# so. The same calls from a live block on begin a boot; so does Zephyr's text.
boot() {
    printf '#m:0x20003240;0x600d-50\n#c:0x20003400;0x6021-25;10\n'
    printf '#f:0x0;0x602f-0x20003240\n#m:0x20003240;0x6031-8\n'
}
boot >one
{
    boot
    boot
    echo '#f:0x0;0x602f-0x20003400'
    printf '#m:0x200032'
    boot
} >three
{
    boot
    echo '*** Booting Zephyr OS build v3.4.0 ***'
    echo '#m:0x20009000;0x6041-7'
} >zephyr
tally report three
echo "--- one boot has the same figures"
for log in one three; do
    tally report --json $log >$log.json
done
"$PYTHON" -c '
import json
one, three = (json.load(open(name)) for name in ("one.json", "three.json"))
print([key for key in ("totals", "sites", "timeline", "failures")
       if one[key] != three[key]])
print(one["trace"].get("earlier_boots"), three["trace"]["earlier_boots"])'
echo "--- the system's text"
tally report zephyr | sed -n '1,4p;/^Accuracy/,$p'
