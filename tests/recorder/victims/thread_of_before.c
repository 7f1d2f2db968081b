/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread_of_before.c - a thread that outlives several recordings
 *
 * A letter is a step, answered by a dot:
 *
 *     a  the thread allocates
 *     j  the thread ends
 *     e  the program ends, with status 4
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>

static sem_t told, done;
static int letter;
static void *volatile kept;

static void *run(void *nothing)
{
    for (;;) {
        sem_wait(&told);
        if (letter == 'j')
            return nothing;
        kept = malloc(1000);
        sem_post(&done);
    }
}

static void answer(void)
{
    if (write(1, ".", 1) != 1)
        _exit(98);
}

int main(void)
{
    pthread_t thread;
    char next;

    sem_init(&told, 0, 0);
    sem_init(&done, 0, 0);
    if (pthread_create(&thread, NULL, run, NULL) != 0)
        return 99;
    for (answer(); read(0, &next, 1) == 1 && next != 'e'; answer()) {
        letter = next;
        sem_post(&told);
        if (next == 'j')
            pthread_join(thread, NULL);
        else
            sem_wait(&done);
    }
    return 4;
}
