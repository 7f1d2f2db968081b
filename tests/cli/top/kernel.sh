# SPDX-License-Identifier: Apache-2.0
# A kernel's file is read anew: rates say how live values changed, of rows that
# share a place, that are new and that have gone.
text() {
    echo "allocinfo - version: 2.0"
    echo "#     <size>  <calls> <tag info>"
    sed 's/$/ /'
}
text <<'END' >kernel.txt
      100000        5 mm/a.c:1 func:grows
        1000        1 mm/a.c:2 func:twice
        2000        2 mm/a.c:2 func:twice
       50000        9 mm/a.c:3 func:stays accurate:no
        7000        7 mm/m.c:1 [m] func:goes
END
text <<'END' >later.txt
         -10 18446744073709551615 mm/a.c:0 func:below
     4100000     4005 mm/a.c:1 func:grows
        1000        1 mm/a.c:2 func:twice
        1000        1 mm/a.c:2 func:twice
       50000        9 mm/a.c:3 func:stays accurate:no
END
: >out
tally top -d 2 -n 2 kernel.txt >out &
tries=0
until grep -q goes out || [ $tries -gt 200 ]; do
    sleep 0.05
    tries=$((tries + 1))
done
mv later.txt kernel.txt
wait
cat out
tally top -n 1 -r 1 -s function --file=mm/a.c --min-size=1000 --max-size=50000 kernel.txt
tally top - <kernel.txt | head -n 1
