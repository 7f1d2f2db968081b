# SPDX-License-Identifier: Apache-2.0
# Leaks by caller, what lived at the peak, and what lived shortly, out of a
# trace.
cc -nostdlib -static -Wl,-e,make_buffer -Wl,-Ttext=0x6000 -o app.elf \
    "$CASE_DIR/../callers.S"
printf '#m:0x10;0x6004-100\n#m:0x20;0x6018-60\n#f:0x0;0x6020-0x10\n' > t
printf '#m:0x30;0x6008-20\n#f:0x0;0x6020-0x30\n' >> t
for view in --leaks --peak --temporary; do
    tally report --elf=app.elf $view t | sed -n '3,/^$/p'
done
tally report --callers=make_buffer t
true
