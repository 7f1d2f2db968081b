# SPDX-License-Identifier: Apache-2.0
# Wherever a text ends, the events before its last line are all there.
printf '#m:0x20003240;0x600d-50\n#r:0x20003300;0x6011-0x20003240;80\n' > t
printf '#c:0x20003400;0x6021-25;10\n#f:0x0;0x602f-0x20003240\n' >> t
i=24
while [ $i -le "$(wc -c < t)" ]; do
    head -c $i t > cut
    whole=$(wc -l < cut)
    [ "$(tally decode cut 2> /dev/null | head -n "$whole")" = \
      "$(head -n "$whole" t)" ] || echo "differs at $i"
    i=$((i + 1))
done
