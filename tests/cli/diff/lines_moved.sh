# SPDX-License-Identifier: Apache-2.0
# A file grew by three lines from one build to the next: its functions are no
# new ones. In order of lines where both sides have as many, as one row where
# not.
cp "$CASE_DIR"/../data/linux-7.3.4-load.txt load.txt
sed 's/\(mm\/shmem.c:\)\([0-9]*\)/\1 \2/' load.txt |
    awk '/mm\/shmem.c: /{ sub(/shmem.c: [0-9]*/, "shmem.c:" ($4 + 3)) } 1' >grown.txt
cmp -s load.txt grown.txt || grep -c 'mm/shmem.c' grown.txt
tally diff load.txt grown.txt
tally diff --json load.txt grown.txt | grep -c '"state": "both"'
sed '/mm\/shmem.c:1941/s/^ *29962240/    29966336/' grown.txt >more.txt
tally diff load.txt more.txt | tail -n +5
rows() {
    for row; do echo "${row% *} a.c:${row##* } func:f "; done
}
echo "== all by 3 lines, also where one comes to lie where another was"
rows "100 1 10" "5000 2 13" >a.txt
rows "100 1 13" "5001 2 16" >b.txt
tally diff a.txt b.txt | tail -n +5
echo "== what did not move stays, the others are in order"
rows "1 1 10" "20 1 15" "300 1 20" >a.txt
rows "1 1 10" "21 1 16" "302 1 25" >b.txt
tally diff a.txt b.txt | tail -n +5
echo "== one more"
rows "1 1 10" "20 1 15" "300 1 20" >a.txt
rows "1 1 10" "20 1 18" "7 1 19" "301 1 23" >b.txt
tally diff a.txt b.txt | tail -n +5
tally diff --json a.txt b.txt | sed -n '/"rows"/,/"state"/p'
echo "== one fewer; new; gone"
tally diff b.txt a.txt | tail -n +6
rows "1 1 10" >a.txt
rows "1 1 10" "20 1 15" >b.txt
tally diff a.txt b.txt | tail -n +6
tally diff b.txt a.txt | tail -n +6
echo "== not in another module, nor where rows are of one place"
echo "100 1 a.c:1 [m] func:f " >a.txt
rows "100 1 2" >b.txt
tally diff a.txt b.txt | tail -n +6
rows "100 1 1" "50 1 1" >a.txt
rows "100 1 4" "51 1 4" >b.txt
tally diff a.txt b.txt | tail -n +6
echo "== marked"
echo "100 1 a.c:1 func:f accurate:no " >a.txt
echo "101 1 a.c:2 func:f accurate:no " >b.txt
tally diff a.txt b.txt | tail -n +6
echo "== the largest change first, up before down"
{ rows "100 5 1"; echo "7 1 b.c:1 func:g "; echo "0 0 c.c:1 func:h "
  echo "1 1 d.c:1 func:i "; } >a.txt
{ rows "0 0 1"; echo "107 9 b.c:1 func:g "; echo "99 1 c.c:1 func:h "
  echo "1 3 d.c:1 func:i "; } >b.txt
tally diff a.txt b.txt | tail -n +6
tally diff --sort=blocks a.txt b.txt | tail -n +6
