# SPDX-License-Identifier: Apache-2.0
# A program without symbols gets its names from a server, only when that is asked
# for; one that the server does not know, and a server that is not there, cost
# nothing but names.
# needs: recorder
"$PYTHON" -c 'import ctypes; ctypes.CDLL("libdebuginfod.so.1")' 2>/dev/null ||
    { echo "SKIPPED: no libdebuginfod.so.1; scripts/install-deps test" >&2; exit 77; }
unset http_proxy HTTP_PROXY all_proxy ALL_PROXY
cat >victim.c <<'END'
#include <stdlib.h>

static void *volatile kept;

__attribute__((noipa)) static void hold(size_t size)
{
    kept = malloc(size);
}

int main(void)
{
    hold(4321);
    return 0;
}
END
gcc -O1 -g -fdebug-prefix-map="$PWD"=/src -Wl,--build-id -o victim victim.c
id=$(readelf -n victim | sed -n 's/.*Build ID: //p')
mkdir -p served/buildid/$id
objcopy --only-keep-debug victim served/buildid/$id/debuginfo
strip --strip-all victim
cp victim served/buildid/$id/executable
tally record -q -o a.tally -- ./victim
tally record -q -o none.tally -- /bin/true

"$PYTHON" -B "$CASE_DIR/serve_debug_files.py" served port log &
server=$!
trap 'kill $server 2>/dev/null' EXIT
for i in $(seq 500); do [ -f port ] && break; sleep 0.02; done
DEBUGINFOD_URLS=http://127.0.0.1:$(cat port)
DEBUGINFOD_CACHE_PATH=$PWD/cache
export DEBUGINFOD_URLS DEBUGINFOD_CACHE_PATH

show() {
    tally report --full "$@" a.tally | "$PYTHON" -c 'import sys
for line in sys.stdin:
    words = line.split()
    if words[:2] == ["4,321", "1"]:
        print(words[4] if "+0x" not in words[4] else "no name", words[5])
    if "/victim," in line or "--debuginfod" in line or "--sysroot" in line:
        print(" ".join(word for word in words if "/" not in word))'
}

echo "== not asked for"
show
cat log 2>/dev/null
echo "== asked for"
show --debuginfod
grep -c "^/buildid/$id/debuginfo$" log
echo "== asked for by others"
for options in "top -n 1" "allocinfo --format=1.0" "diff none.tally" "export --to=folded"; do
    rm -rf cache
    echo "${options%% *} $(tally $options a.tally | grep -c "\<hold\>")" \
        "$(tally $options --debuginfod a.tally | grep -c "\<hold\>")"
done
echo "== a program that is gone"
mv victim gone
show
show --debuginfod
echo "== another program in its place"
cp /bin/true victim
show
show --debuginfod
mv gone victim
echo "== from what was kept"
kill $server
wait $server 2>/dev/null
show --debuginfod
echo "== no server"
rm -rf cache
show --debuginfod
