/* SPDX-License-Identifier: Apache-2.0 */
/* thread_word.c - a library whose thread-local variables are allocated on first
   use */
static _Thread_local struct {
    int word;
    char room[4096];
} own = { .word = 42 };

int *thread_word(void);

int *thread_word(void)
{
    return &own.word;
}
