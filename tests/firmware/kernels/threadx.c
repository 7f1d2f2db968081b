/* SPDX-License-Identifier: Apache-2.0 */
/* threadx.c - a program of ThreadX with the adapters of docs/firmware.md */
#include "stand_in.h"

#include "board.h"
#include "suite_board.h"
#include "tally/mem_trace.h"
#include "tally/port.h"

TX_BYTE_POOL my_byte_pool;
TX_BLOCK_POOL my_block_pool;
static TX_BYTE_POOL another_byte_pool;
static TX_THREAD threads[2];
static _Alignas(8) UCHAR bytes[2][1024], blocks[10 * (32 + sizeof(void *))];

__attribute__((noinline)) void take_bytes(void)
{
    VOID *first, *second, *third;

    tx_byte_allocate(&my_byte_pool, &first, 100, TX_NO_WAIT);
    tx_byte_allocate(&my_byte_pool, &second, 48, TX_NO_WAIT);
    board_check("the bytes are released",
                tx_byte_release(second) == TX_SUCCESS);
    board_check("too many bytes are refused",
                tx_byte_allocate(&my_byte_pool, &third, 5000, TX_NO_WAIT) ==
                    TX_NO_MEMORY);
}

__attribute__((noinline)) void take_blocks(void)
{
    VOID *block = NULL;

    for (unsigned i = 0; i < 3; i++)
        tx_block_allocate(&my_block_pool, &block, TX_NO_WAIT);
    board_check("the block is released", tx_block_release(block) == TX_SUCCESS);
}

static void run(unsigned thread)
{
    threadx_current = &threads[thread];
}

int main(void)
{
    tx_byte_pool_create(&my_byte_pool, "bytes", bytes[0], sizeof bytes[0]);
    tx_byte_pool_create(&another_byte_pool, "more", bytes[1], 512);
    tx_block_pool_create(&my_block_pool, "blocks", 32, blocks, sizeof blocks);
    mbed_mem_trace_set_callback(mbed_mem_trace_default_callback);
    take_bytes();
    take_blocks();
    mbed_mem_trace_set_callback(NULL);

    threadx_ticks = 4000000000u;
    board_check("ticks are the clock",
                tally_port_time_ns() == UINT64_C(4000000000) * 10000000);
    tally_port_wait(NULL, 0, TALLY_PORT_FOREVER);
    board_check("a thread waits for a tick", threadx_ticks == 4000000001u);

    board_check_tags(run);
    board_send_regions();
    return board_status();
}
