/* The words of a text while they are counted. */
#ifndef CRAWLER_DEDUP_WORDS_H
#define CRAWLER_DEDUP_WORDS_H

#include "text.h"

typedef struct {
    uint64_t hash; /* of its characters */
    size_t start, length, count;
} Word;

typedef struct {
    uint8_t *bytes; /* of all words, one after another */
    size_t used, room;
    Word *words; /* as many as half of the slots, in the order they were met */
    size_t count;
    uint32_t *slots; /* 1 + number of a word, 0 for none */
    size_t last_slot;
} Words;

int open_words(Words *words); /* 0, or -1 with MemoryError set; close them either way */
void close_words(Words *words);

/* Each counts what it is named for, and returns 0, or -1: with an exception set, or without one
 * where words collide that were made to. */
int count_runs(const Text *text, Words *words); /* words of all scripts but Han */
int count_segmented(PyObject *segmented, const Text *text, Words *words); /* a list or tuple */

#endif
