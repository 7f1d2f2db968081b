# SPDX-License-Identifier: Apache-2.0
# Debug information is read wherever compilers and packagers put it; a missing
# file is named, and no function has the line of another one.
# needs: recorder
cat >program.c <<'END'
#include <stdlib.h>
static void *volatile kept;
static inline __attribute__((always_inline)) void *inner(size_t size)
{
    return malloc(size);
}
__attribute__((noinline)) static void outer(size_t size)
{
    kept = inner(size);
}
int main(void)
{
    outer(4321);
    return 0;
}
END
show() { # VARIANT
    tally record -q -o a.tally -f -- ./program || exit
    echo "$1: $(tally report --full a.tally |
        sed -n 's/^ *100.0 %  //p; s/^ *4,321  //p' | grep -v '^  *1 ' |
        sed 's|(/.*/|(|' | tr '\n' ' ')"
    tally report a.tally | grep '^  no lines'
    rm -rf program *.dwo *.dwp *.o program.debug
}
build() { # COMPILER OPTION...
    compiler=$1
    shift
    "$compiler" -O1 -g "$@" -c program.c && "$compiler" "$@" program.o -o program
}

build gcc -gdwarf64 && show dwarf64
build gcc && objcopy --compress-debug-sections=zstd program && show zstd
build gcc && objcopy --only-keep-debug --compress-debug-sections=zstd program \
    program.debug && strip program &&
    objcopy --add-gnu-debuglink=program.debug program
show "zstd in a separate file"
build gcc -gsplit-dwarf && show split
build gcc -gsplit-dwarf && mkdir -p away && mv program.dwo away && show "moved away"
build gcc -gdwarf-4 -gsplit-dwarf && dwp -e program -o program.dwp &&
    rm program.dwo && show "package of DWARF 4"
for compiler in gcc clang; do
    build $compiler -gdwarf-5 -gsplit-dwarf && llvm-dwp -e program -o program.dwp &&
        rm program.dwo && show "package of DWARF 5, $compiler"
done
head -c 200 /dev/zero >zeros
build gcc -gdwarf-4 -gsplit-dwarf && dwp -e program -o program.dwp &&
    rm program.dwo && dd if=zeros of=program.dwp bs=1 seek=100 conv=notrunc \
    status=none && show "damaged package"
