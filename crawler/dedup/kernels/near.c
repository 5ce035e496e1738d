/* The search of the block index (`dedup/index.py`, `dedup/columns.py`): all fingerprints within
 * a distance of a query, by tables of blocks or by looking at each.
 *
 * What a query reads lies anywhere in memory, so it is read in stages, each for many buckets before
 * the next: while one stage works, what the next will need is on its way to the cache.
 *
 *     buckets -> their runs of pages -> pages of tags -> slots that are near -> rows -> fingerprints
 */
#include "near.h"

typedef unsigned (*NearOfEight)(const uint32_t *tags, uint32_t own, unsigned limit);

INLINE unsigned plain_near_of_eight(const uint32_t *tags, uint32_t own, unsigned limit) {
    unsigned near = 0;
    for (unsigned slot = 0; slot < 8; slot++)
        near |= (unsigned)((unsigned)__builtin_popcount(tags[slot] ^ own) <= limit) << slot;
    return near;
}

/* List the rows of some pages, whatever they are like. */
INLINE int list_all(const Index *index, const Page *pages, int count, Candidate *listed) {
    int rows = 0;
    for (int i = 0; i < count; i++) {
        const size_t first = (size_t)pages[i].page << index->cells.slot_bits;
        for (unsigned slot = 0; slot < pages[i].used; slot++)
            listed[rows++] = (Candidate){index->cells.rows[first + slot], pages[i].table};
    }
    return rows;
}

/* List the rows of some pages whose tags are near. */
INLINE int list_near(const Index *index, const Page *pages, int count, NearOfEight near_of_eight,
                     Candidate *listed) {
    int rows = 0;
    for (int i = 0; i < count; i++) {
        const size_t first = (size_t)pages[i].page << index->cells.slot_bits;
        for (unsigned group = 0; group < pages[i].used; group += 8) {
            const unsigned left = pages[i].used - group;
            unsigned near = near_of_eight(index->cells.tags + first + group, pages[i].own,
                                          pages[i].limit);
            for (near &= left < 8 ? (1u << left) - 1 : 0xFF; near; near &= near - 1) {
                const size_t slot = first + group + (unsigned)__builtin_ctz(near);
                PREFETCH(&index->cells.rows[slot]);
                listed[rows++] = (Candidate){slot, pages[i].table};
            }
        }
    }
    for (int i = 0; i < rows; i++)
        listed[i].place = index->cells.rows[listed[i].place];
    return rows;
}

INLINE int compare_pages(const Index *index, Query query, const Page *pages, int count,
                         NearOfEight near_of_eight, Found *found) {
    Candidate listed[PAGES_AT_ONCE * MOST_SLOTS]; /* every slot of every page has room */
    const int rows = index->cells.tags ? list_near(index, pages, count, near_of_eight, listed)
                                       : list_all(index, pages, count, listed);
    if (found_reserve(found, (size_t)rows))
        return -1;
    for (int i = 0; i < rows; i++)
        PREFETCH(&index->fingerprints[listed[i].place]);
    for (int i = 0; i < rows; i++) {
        const uint64_t row = listed[i].place;
        const uint64_t difference = index->fingerprints[row] ^ query.fingerprint;
        const unsigned distance = (unsigned)__builtin_popcountll(difference);
        if (distance <= index->distance && !known_before(index, listed[i].table, difference))
            found->items[found->count++] =
                query.number << QUERY_SHIFT | row << ROW_SHIFT | distance;
    }
    return 0;
}

INLINE int search(const Index *index, Query query, NearOfEight near_of_eight, Found *found) {
    Asked asked[MOST_ASKED];
    Page pages[PAGES_AT_ONCE];
    uint32_t tags[BLOCKS];
    const uint32_t slots = 1u << index->cells.slot_bits;
    const uint32_t *first = index->cells.tags ? index->cells.tags : index->cells.rows;
    const int buckets = list_buckets(index, query.fingerprint, asked);
    int listed = 0;
    for (int i = 0; i < buckets; i++) {
        PREFETCH(&index->cells.sizes[asked[i].bucket]);
        PREFETCH(&index->cells.starts[asked[i].bucket]);
    }
    for (unsigned table = 0; table < BLOCKS; table++)
        tags[table] = tag_of(index, table, query.fingerprint);
    for (int i = 0; i < buckets; i++)
        if (index->cells.sizes[asked[i].bucket])
            PREFETCH(&index->cells.pages[index->cells.starts[asked[i].bucket]]);
    for (int i = 0; i < buckets; i++) {
        const Asked bucket = asked[i];
        const uint32_t *run = index->cells.pages + index->cells.starts[bucket.bucket];
        for (uint32_t left = index->cells.sizes[bucket.bucket]; left; run++) {
            const uint32_t used = left < slots ? left : slots;
            const uint32_t *entries = first + ((size_t)*run << index->cells.slot_bits);
            PREFETCH(entries);
            if (slots > 16) /* more than a cache line of them */
                PREFETCH(entries + 16);
            pages[listed++] = (Page){*run, tags[bucket.table], (uint8_t)used, bucket.table,
                                     bucket.limit};
            if (listed == PAGES_AT_ONCE) {
                if (compare_pages(index, query, pages, listed, near_of_eight, found))
                    return -1;
                listed = 0;
            }
            left -= used;
        }
    }
    return compare_pages(index, query, pages, listed, near_of_eight, found);
}

/* Look at all fingerprints in their order, a portion twice if anything in it is near: the first loop
 * has no branch and stores nothing, so the compiler makes vectors of it, and near ones are rare. */
INLINE int scan(const Index *index, Query query, Found *found) {
    const uint64_t *fingerprints = index->fingerprints;
    for (size_t start = 0; start < index->count; start += SCANNED_AT_ONCE) {
        const size_t end =
            start + SCANNED_AT_ONCE < index->count ? start + SCANNED_AT_ONCE : index->count;
        uint64_t any = 0;
        for (size_t row = start; row < end; row++)
            any |= (uint64_t)__builtin_popcountll(fingerprints[row] ^ query.fingerprint) <=
                   index->distance;
        if (!any)
            continue;
        if (found_reserve(found, end - start))
            return -1;
        for (size_t row = start; row < end; row++) {
            const uint64_t ones =
                (uint64_t)__builtin_popcountll(fingerprints[row] ^ query.fingerprint);
            found->items[found->count] = query.number << QUERY_SHIFT | row << ROW_SHIFT | ones;
            found->count += ones <= index->distance;
        }
    }
    return 0;
}

/* Answer some queries one after another, by buckets or, without any, by looking at all. */
INLINE int answer(const Index *index, const uint64_t *queries, uint64_t asked,
                  NearOfEight near_of_eight, Found *found) {
    for (uint64_t number = 0; number < asked; number++) {
        const Query query = {number, queries[number]};
        if (index->cells.sizes ? search(index, query, near_of_eight, found) : scan(index, query, found))
            return -1;
    }
    return 0;
}

typedef int (*Answer)(const Index *, const uint64_t *, uint64_t, Found *);

static int answer_anywhere(const Index *index, const uint64_t *queries, uint64_t asked,
                           Found *found) {
    return answer(index, queries, asked, plain_near_of_eight, found);
}

#ifdef HAS_VARIANTS
#include <immintrin.h>

WITH_POPCNT static int answer_popcnt(const Index *index, const uint64_t *queries, uint64_t asked,
                                     Found *found) {
    return answer(index, queries, asked, plain_near_of_eight, found);
}

WITH_VPOPCNT static inline unsigned vector_near_of_eight(const uint32_t *tags, uint32_t own,
                                                         unsigned limit) {
    const __m256i differing = _mm256_xor_si256(_mm256_loadu_si256((const __m256i *)tags),
                                               _mm256_set1_epi32((int)own));
    return _mm256_cmple_epu32_mask(_mm256_popcnt_epi32(differing), _mm256_set1_epi32((int)limit));
}

WITH_VPOPCNT static int answer_vpopcnt(const Index *index, const uint64_t *queries, uint64_t asked,
                                       Found *found) {
    return answer(index, queries, asked, vector_near_of_eight, found);
}
#endif

static Answer fastest_answer(void) {
#ifdef HAS_VARIANTS
    if (MOST_VARIANT >= 2 && __builtin_cpu_supports("avx512vpopcntdq") &&
        __builtin_cpu_supports("avx512vl"))
        return answer_vpopcnt;
    if (counts_bits())
        return answer_popcnt;
#endif
    return answer_anywhere;
}

/* near_fingerprints(queries, fingerprints, count, cells, key_bits, distance, scanned) */
PyObject *near_fingerprints(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    Buffers buffers = {.count = 0};
    if (!takes("near_fingerprints", count, 7) || open_buffers(&buffers, arguments, 2))
        return NULL;
    Index index = {
        .fingerprints = buffers.views[1].buf,
        .count = PyLong_AsSize_t(arguments[2]),
        .key_bits = number_of(arguments[4]),
        .distance = number_of(arguments[5]),
    };
    const long long given = PyLong_AsLongLong(arguments[6]);
    if (!PyErr_Occurred() && (index.key_bits > BLOCK_BITS || index.distance > MOST_DISTANCE))
        PyErr_SetString(PyExc_ValueError, "keys have at most 16 bits, distances are at most 11");
    if (PyErr_Occurred()) {
        close_buffers(&buffers);
        return NULL;
    }
    const size_t scanned = given < 0 ? SCANNED_A_PROBE * probed(&index) : (size_t)given;
    if (index.count > scanned && open_cells(&buffers, arguments[3], &index.cells))
        return NULL;
    Found found = {NULL, 0, 0};
    const Py_buffer *queries = &buffers.views[0];
    fastest_answer()(&index, queries->buf, (uint64_t)queries->len / sizeof(uint64_t), &found);
    close_buffers(&buffers);
    return found_take(&found);
}
