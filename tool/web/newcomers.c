/* SPDX-License-Identifier: Apache-2.0 */
/* newcomers.c - see listen.h */
#include "tool/web/listen.h"

#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MOST = 128, HEAD_SECONDS = 5 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct newcomer {
    int fd;
    uint64_t peer;
} newcomers[MOST];   /* the oldest first */
static size_t count; /* while it is not 0, an alarm is set */
static size_t old;
static void take_out(size_t number)
{
    old -= number < old;
    memmove(newcomers + number, newcomers + number + 1,
            (--count - number) * sizeof *newcomers);
}

/* End a connection: its thread reads the end, and closes it. */
static void refuse(size_t number)
{
    shutdown(newcomers[number].fd, SHUT_RDWR);
    take_out(number);
}

/* Return the oldest of the peer that has most. */
static size_t find_one_too_many(void)
{
    size_t found = 0, most = 0;

    for (size_t i = 0; i < count; i++) {
        size_t same = 0;

        for (size_t j = 0; j < count; j++)
            same += newcomers[j].peer == newcomers[i].peer;
        if (same > most) {
            most = same;
            found = i;
        }
    }
    return found;
}

void newcomers_begin(int fd)
{
    uint32_t user;
    const struct newcomer newcomer = { fd, web_peer_user(fd, &user)
                                               ? user
                                               : UINT64_MAX };

    pthread_mutex_lock(&lock);
    if (count == MOST)
        refuse(find_one_too_many());
    if (count == 0)
        alarm(HEAD_SECONDS);
    newcomers[count++] = newcomer;
    pthread_mutex_unlock(&lock);
}

void newcomers_end(int fd)
{
    pthread_mutex_lock(&lock);
    for (size_t i = count; i-- > 0;) {
        if (newcomers[i].fd == fd)
            take_out(i);
    }
    pthread_mutex_unlock(&lock);
}

void newcomers_sweep(void)
{
    pthread_mutex_lock(&lock);
    while (old > 0)
        refuse(0);
    old = count;
    if (count > 0)
        alarm(HEAD_SECONDS);
    pthread_mutex_unlock(&lock);
}
