# SPDX-License-Identifier: Apache-2.0
# needs: recorder
# The first row is the line of the program that allocated, whatever of the C++
# library lies between.
for level in -O0 -O2; do
    echo "-- $level"
    "$PYTHON" -B "$CASE_DIR/names.py" "$CASE_DIR/names.cpp" \
        g++ -std=c++20 -g $level -pthread -o planted "$CASE_DIR/names.cpp"
done
# Inlined functions without a linkage name have their scopes.
for plant in function thread; do
    tally record -q --force -o a.tally ./planted $plant
    tally report --full --top=1 --color=never a.tally |
        sed -n '/^LIVE BYTES/{n;s/  *\/.*//;s/^[ 0-9,]*//;p;q;}'
done
# Names in the row are short, in full they are whole.
g++ -std=c++20 -g -O0 -pthread -o planted "$CASE_DIR/names.cpp"
for plant in make_shared anonymous conversion call less decltype template \
    lambda function; do
    tally record -q --force -o a.tally ./planted $plant
    tally report --color=never a.tally |
        sed -n '/^Top at/{n;s/.* %  //;s/ (names.cpp:[0-9]*)//;p;}'
done
tally report --full --top=1 --color=never a.tally |
    sed -n '/^LIVE BYTES/{n;s/  *\/.*//;s/^[ 0-9,]*//;p;q;}'
tally report --full --leaf --top=1 --color=never \
    --function='std::function<>::operator()' --focus='std::function<>::*' \
    a.tally | grep -c planted
