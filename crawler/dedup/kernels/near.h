/* What the search of the block index is about, and its arithmetic: which buckets a query looks in,
 * and what of an entry can be told without its fingerprint (`dedup/columns.py` has the reasons). */
#ifndef NEAR_H
#define NEAR_H

#include "kernels.h"

enum {
    BLOCKS = 4,
    BLOCK_BITS = 16,
    MOST_DISTANCE = 11, /* so radii end at 2 */
    MOST_ASKED = BLOCKS * (1 + BLOCK_BITS + BLOCK_BITS * (BLOCK_BITS - 1) / 2),
    MOST_SLOTS = 32,      /* of a page, as in `index/buckets.py` */
    PAGES_AT_ONCE = 256,  /* so that a portion's pages and slots stay within the caches */
    SCANNED_AT_ONCE = 512,
    SCANNED_A_PROBE = 400, /* fingerprints looked at one after another in the time that a look into
                            * one bucket takes, where the processor counts the bits of eight of them
                            * at once; others count two to four times as slowly */
    ROW_SHIFT = 4, /* a result: query, row, distance in 28, 32 and 4 bits */
    QUERY_SHIFT = 36,
};

typedef struct {
    Cells cells; /* without any, all fingerprints are looked at */
    const uint64_t *fingerprints;
    size_t count; /* of fingerprints */
    unsigned key_bits, distance;
} Index;

typedef struct {
    uint64_t number, fingerprint;
} Query;

typedef struct {
    uint32_t bucket;
    uint8_t table, limit; /* bits in which tags may differ */
} Asked;

typedef struct {
    uint32_t page, own; /* own: the query's tag */
    uint8_t used, table, limit;
} Page;

typedef struct {
    uint64_t place : 62; /* its row, or the slot where that is to be read */
    uint64_t table : 2;  /* that it was found in */
} Candidate;

static unsigned radius_of(const Index *index, unsigned table) {
    return (index->distance - table) / BLOCKS;
}

static unsigned searched_tables(const Index *index) {
    return index->distance < BLOCKS ? index->distance + 1 : BLOCKS;
}

/* How many buckets a query looks in. */
static size_t probed(const Index *index) {
    size_t buckets = 0;
    for (unsigned table = 0; table < searched_tables(index); table++) {
        const unsigned radius = radius_of(index, table), bits = index->key_bits;
        buckets += 1 + (radius >= 1 ? bits : 0) + (radius == 2 ? bits * (bits - 1) / 2 : 0);
    }
    return buckets;
}

/* List the buckets to look in: keys about the query's own, the nearest first. MOST_ASKED is what keys
 * of 16 bits have within radius 2. */
static int list_buckets(const Index *index, uint64_t fingerprint, Asked *asked) {
    const uint32_t mask = (1u << index->key_bits) - 1;
    Asked *next = asked;
    for (unsigned table = 0; table < searched_tables(index); table++) {
        const uint32_t first = table << index->key_bits;
        const uint32_t own = (uint32_t)(fingerprint >> BLOCK_BITS * table) & mask;
        const unsigned radius = radius_of(index, table);
        *next++ = (Asked){first | own, (uint8_t)table, (uint8_t)index->distance};
        if (radius >= 1)
            for (unsigned a = 0; a < index->key_bits; a++)
                *next++ = (Asked){first | (own ^ 1u << a), (uint8_t)table,
                                  (uint8_t)(index->distance - 1)};
        if (radius == 2)
            for (unsigned a = 1; a < index->key_bits; a++)
                for (unsigned b = 0; b < a; b++)
                    *next++ = (Asked){first | (own ^ 1u << a ^ 1u << b), (uint8_t)table,
                                      (uint8_t)(index->distance - 2)};
    }
    return (int)(next - asked);
}

/* Whether a pair that was found in one table would be found in an earlier one, too. The fingerprints
 * themselves say so, and nothing has to be remembered or sorted to find each pair once. */
static int known_before(const Index *index, unsigned table, uint64_t difference) {
    const uint64_t mask = (1u << index->key_bits) - 1;
    for (unsigned earlier = 0; earlier < table; earlier++) {
        uint64_t own = difference >> BLOCK_BITS * earlier & mask;
        if ((unsigned)__builtin_popcountll(own) <= radius_of(index, earlier))
            return 1;
    }
    return 0;
}

static uint32_t tag_of(const Index *index, unsigned table, uint64_t fingerprint) {
    const uint64_t key = (uint64_t)((1u << index->key_bits) - 1) << BLOCK_BITS * table;
    const uint64_t rest = fingerprint & ~key;
    return (uint32_t)(rest ^ rest >> 32);
}

/* Which of eight tags differ from one in few enough bits: a bit for each. Eight are a vector of the
 * processors that count bits in vectors, and a page has 8, 16 or 32: no group is cut. */

#endif
