# SPDX-License-Identifier: Apache-2.0
# needs: recorder
# The commands of docs/ci.md, with a pull request that changes nothing and one
# that leaks.
for program in gcc git make; do
    command -v $program >/dev/null || {
        echo "SKIPPED: no $program; scripts/install-deps test" >&2
        exit 77
    }
done
mkdir blocks bin origin
"$PYTHON" "$CASE_DIR/ci.py" "$CASE_DIR/../../../docs/ci.md" blocks
ls blocks
cat >bin/gh <<'END'
#!/bin/sh
case "$*" in
*--jq*) cat "$COMMENT_ID" ;;
*) echo "gh $*"; head -n 1 comment.md ;;
esac
END
chmod +x bin/gh
export PATH="$PWD/bin:$PATH" COMMENT_ID="$PWD/id" COMMENTS=issues PULL=7
export GIT_CONFIG_GLOBAL="$PWD/gitconfig"
git config --global user.name n
git config --global user.email n@example.org
git config --global init.defaultBranch main
cat >origin/server.c <<'END'
#include <stdlib.h>
static char *serve(size_t size)
{
    return malloc(size);
}
int main(void)
{
    char *block = serve(100000);
    __asm__ volatile("" : "+r"(block));
    free(block);
    return 0;
}
END
printf 'server: server.c\n\t@gcc -g -O1 -o $@ server.c\n' >origin/Makefile
cp blocks/budget.1 origin/tally.budget.yaml
(cd origin && git init -q && git add . && git commit -qm first)
git clone -q origin clone
cd clone || exit 1
step() {
    echo "-- $1"
    sh -e "../blocks/$1" >out 2>err
    echo "$?"
    cat out err | sed "s,$PWD/,,g;s/%0A   __libc_start.*//;s/  */ /g
        /HEAD is now at/d;/^Preparing worktree/d;/^make/d;/_start/d"
}
job() {
    rm -rf base ./*.tally server comment.md summary
    git worktree prune
    export GITHUB_BASE_REF=main GITHUB_WORKSPACE="$PWD" GITHUB_STEP_SUMMARY=summary
    step github.1
    step github.2
    head -n 2 summary
    step github.3
}
: >../id
job
echo 1234 >../id
sed -i 's/^    free(block);/    free(block);\n    block = serve(300000);\n    __asm__ volatile("" : "+r"(block));/' server.c
job
step shell.1
step shell.2
rm -rf base ./*.tally server
git worktree prune
export CI_MERGE_REQUEST_TARGET_BRANCH_NAME=main
step gitlab.1
step gitlab.2
grep -c '<failure' memory.xml
