/* SPDX-License-Identifier: Apache-2.0 */
/*
 * camera.c - pass large blocks between threads without copies
 *
 *     cc -o camera camera.c -I$(pkg-config --variable=compat tally) \
 *         $(pkg-config --cflags --libs tally)
 *     camera [FRAMES]
 *
 * A camera thread fills frames from a slab; a display thread shows and frees
 * them. Only pointers pass between them. There are three frames: if the display
 * is slow, the camera waits. Each frame has a caption from a heap that both
 * threads share. The code uses Zephyr's header; apart from the threads it is
 * the same on Zephyr.
 */
#include <pthread.h>
#include <stdlib.h>
#include <zephyr/kernel.h>

enum { FRAME_BYTES = 64 * 1024, FRAMES = 3, CAPTION_BYTES = 32 };

struct frame {
    char *caption;
    unsigned char pixels[FRAME_BYTES - sizeof(char *)];
};

K_MEM_SLAB_DEFINE(frames, sizeof(struct frame), FRAMES, 8);
K_HEAP_DEFINE(captions, 256);

static struct frame *way[FRAMES]; /* room for all frames: never full */
static unsigned sent, shown, wrong, wanted;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t was_sent = PTHREAD_COND_INITIALIZER;

static struct frame *receive(void)
{
    struct frame *frame;

    pthread_mutex_lock(&lock);
    while (shown == sent)
        pthread_cond_wait(&was_sent, &lock);
    frame = way[shown % FRAMES];
    pthread_mutex_unlock(&lock);
    return frame;
}

static void *display(void *unused)
{
    (void)unused;
    for (unsigned number = 0; number < wanted; number++) {
        struct frame *frame = receive();

        if (frame->pixels[number % 1000] != number % 256 ||
            strtoul(frame->caption, NULL, 10) != number)
            wrong++;
        pthread_mutex_lock(&lock);
        shown++;
        pthread_mutex_unlock(&lock);
        k_heap_free(&captions, frame->caption);
        k_mem_slab_free(&frames, frame);
    }
    return NULL;
}

static int record(unsigned number)
{
    struct frame *frame;

    if (k_mem_slab_alloc(&frames, (void **)&frame, K_SECONDS(10)) != 0)
        return -1;
    frame->caption = k_heap_alloc(&captions, CAPTION_BYTES, K_FOREVER);
    snprintf(frame->caption, CAPTION_BYTES, "%u", number);
    memset(frame->pixels, (int)(number % 256), sizeof frame->pixels);
    pthread_mutex_lock(&lock);
    way[sent++ % FRAMES] = frame;
    pthread_cond_signal(&was_sent);
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(int argc, char **argv)
{
    pthread_t thread;

    wanted = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 500;
    if (pthread_create(&thread, NULL, display, NULL) != 0)
        return 1;
    for (unsigned number = 0; number < wanted; number++) {
        if (record(number) != 0) {
            printf("no frame came back in 10 seconds\n");
            return 1;
        }
    }
    pthread_join(thread, NULL);
    printf(
        "%u frames shown, %u of them wrong; at most %u of %d in use, %u now\n",
        shown, wrong, k_mem_slab_max_used_get(&frames), FRAMES,
        k_mem_slab_num_used_get(&frames));
    return wrong != 0;
}
