/* SPDX-License-Identifier: Apache-2.0 */
/* pthread.h - the part that the unit tests use, on threads that take turns */
#pragma once

typedef struct turn *pthread_t;

/* Return 0. End the run if there is no room for another thread. */
int pthread_create(pthread_t *thread, const void *attributes,
                   void *(*start)(void *argument), void *argument);
int pthread_join(pthread_t thread, void **result);
