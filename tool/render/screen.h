/* SPDX-License-Identifier: Apache-2.0 */
/*
 * screen.h - lines of text on the whole terminal, and keys
 *
 *     screen_begin();
 *     screen_show(text, 4);
 *     int key = screen_wait_key(1000);
 *     screen_end();
 */
#ifndef TALLY_TOOL_RENDER_SCREEN_H
#define TALLY_TOOL_RENDER_SCREEN_H

enum screen_key {
    SCREEN_KEY_NONE = 0, /* the time has passed */
    /* 1 to 127: that character */
    SCREEN_KEY_UP = 256,
    SCREEN_KEY_DOWN,
    SCREEN_KEY_PAGE_UP,
    SCREEN_KEY_PAGE_DOWN,
    SCREEN_KEY_FIRST,
    SCREEN_KEY_LAST,
    SCREEN_KEY_RESIZE,
    SCREEN_KEY_GONE, /* the terminal is no more */
    SCREEN_KEY_OTHER,
};

/* Take the terminal. Returns -1 when it cannot show a screen. */
int screen_begin(void);

/* Give it back as it was. */
void screen_end(void);

unsigned screen_width(void);
unsigned screen_height(void);

/* Show the text's lines from the top; line `title` (from 0) stands out. */
void screen_show(const char *text, unsigned title);

/* The next key, or SCREEN_KEY_NONE after that many milliseconds. */
int screen_wait_key(int milliseconds);

#endif /* TALLY_TOOL_RENDER_SCREEN_H */
