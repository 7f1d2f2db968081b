/* SPDX-License-Identifier: Apache-2.0 */
/* tx_api.h - a stand-in for the part of ThreadX that the adapters use */
#pragma once

#include <stddef.h>

#ifdef TX_INCLUDE_USER_DEFINE_FILE
#include "tx_user.h"
#endif

#define VOID                      void
#define TX_NULL                   NULL
#define TX_SUCCESS                0x00
#define TX_NO_MEMORY              0x10
#define TX_NO_WAIT                0
#define TX_TIMER_TICKS_PER_SECOND 100

typedef char CHAR;
typedef unsigned char UCHAR;
typedef unsigned int UINT;
typedef unsigned long ULONG;

typedef struct TX_BYTE_POOL_STRUCT {
    CHAR *tx_byte_pool_name;
    ULONG tx_byte_pool_available;
    UCHAR *tx_byte_pool_start;
    ULONG tx_byte_pool_size;
    struct TX_BYTE_POOL_STRUCT *tx_byte_pool_created_next; /* a ring */
} TX_BYTE_POOL;

typedef struct TX_BLOCK_POOL_STRUCT {
    CHAR *tx_block_pool_name;
    UINT tx_block_pool_available;
    UINT tx_block_pool_total;
    UCHAR *tx_block_pool_available_list;
    UINT tx_block_pool_block_size;
    struct TX_BLOCK_POOL_STRUCT *tx_block_pool_created_next; /* a ring */
} TX_BLOCK_POOL;

typedef struct TX_THREAD_STRUCT {
    CHAR *tx_thread_name;
    TX_THREAD_USER_EXTENSION
} TX_THREAD;

#define tx_byte_allocate     _txe_byte_allocate
#define tx_byte_pool_create  _txe_byte_pool_create
#define tx_byte_release      _txe_byte_release
#define tx_block_allocate    _txe_block_allocate
#define tx_block_pool_create _txe_block_pool_create
#define tx_block_release     _txe_block_release
#define tx_thread_identify   _tx_thread_identify
#define tx_thread_sleep      _tx_thread_sleep
#define tx_time_get          _tx_time_get

UINT tx_byte_pool_create(TX_BYTE_POOL *pool, CHAR *name, VOID *start,
                         ULONG size);
UINT tx_byte_allocate(TX_BYTE_POOL *pool, VOID **memory, ULONG size,
                      ULONG wait);
UINT tx_byte_release(VOID *memory);
UINT tx_block_pool_create(TX_BLOCK_POOL *pool, CHAR *name, ULONG block_size,
                          VOID *start, ULONG size);
UINT tx_block_allocate(TX_BLOCK_POOL *pool, VOID **block, ULONG wait);
UINT tx_block_release(VOID *block);
TX_THREAD *tx_thread_identify(VOID);
UINT tx_thread_sleep(ULONG ticks);
ULONG tx_time_get(VOID);
