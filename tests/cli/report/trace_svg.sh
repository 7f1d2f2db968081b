# SPDX-License-Identifier: Apache-2.0
# A picture that is XML whatever the names, with a plot for each region.
"$PYTHON" "$CASE_DIR/../make_trace.py" --rounds=5 --step=500000000 trace
"$PYTHON" "$CASE_DIR/../make_elf.py" 32 names.elf '<a&"b>@0x20010048+24'
tally report --svg --elf=names.elf trace > trace.svg
"$PYTHON" - <<'END'
import xml.etree.ElementTree as tree
name = "{http://www.w3.org/2000/svg}"
root = tree.parse("trace.svg").getroot()
for plot in root.iter(name + "g"):
    print(plot.find(name + "title").text)
    print(" ", plot.find(name + "path[@class='area']").get("d"))
END
