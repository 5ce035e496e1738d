/* Candidates by sketch: the rows of its bands' buckets (`index/bucket_table.py`), and the rejection of
 * those that are of another size or too unlike (`index/sketch_index.py`).
 *
 * Rows lie anywhere in memory, and a read that misses the caches takes as long as a hundred
 * instructions. So each stage first asks for what the next will read of many rows: the misses then
 * overlap. */
#include "kernels.h"

#include <string.h>

enum {
    WORDS = 16, /* of a sketch: 16 bins of 4 bits in each */
    QUARTER = 4,
    REST = WORDS - QUARTER,
    AT_ONCE = 256, /* what was asked for stays in the first cache until it is read */
};

static const uint64_t LOW_BITS = 0x1111111111111111;

/* Write the rows of some buckets one after another; return where they end. The low `shared` bits of
 * a bucket's number are above the row in each of its entries. */
static uint32_t *read_buckets(const Cells *cells, unsigned shared, const int64_t *numbers,
                              size_t asked, uint32_t *next) {
    const uint64_t row_mask = UINT32_MAX >> shared;
    for (size_t i = 0; i < asked; i++)
        PREFETCH(&cells->pages[cells->starts[numbers[i] >> shared]]);
    for (size_t i = 0; i < asked; i++) {
        const int64_t bucket = numbers[i] >> shared;
        const uint64_t tag = (uint64_t)numbers[i] << (32 - shared) & UINT32_MAX & ~row_mask;
        const uint32_t *run = cells->pages + cells->starts[bucket];
        const uint32_t size = cells->sizes[bucket], slots = 1u << cells->slot_bits;
        for (size_t place = 0; place < size; place += slots)
            PREFETCH(&cells->rows[(size_t)run[place >> cells->slot_bits] << cells->slot_bits]);
        for (uint32_t place = 0; place < size; place++) {
            const size_t page = run[place >> cells->slot_bits];
            const uint64_t entry = cells->rows[(page << cells->slot_bits) + (place & (slots - 1))];
            /* Always written, kept if its key is the bucket's: a branch would often be guessed
             * wrong. The room is for all entries, so it is never written past. */
            *next = (uint32_t)(entry & row_mask);
            next += (entry & ~row_mask) == tag;
        }
    }
    return next;
}

/* find_rows(buckets, cells, shared_bits) */
PyObject *find_rows(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    Buffers buffers = {.count = 0};
    Cells cells;
    if (!takes("find_rows", count, 3) || open_buffers(&buffers, arguments, 1) ||
        open_cells(&buffers, arguments[1], &cells))
        return NULL;
    const int64_t *numbers = buffers.views[0].buf;
    const size_t asked = (size_t)buffers.views[0].len / sizeof *numbers;
    const unsigned shared = number_of(arguments[2]);
    PyObject *found = NULL;
    if (!PyErr_Occurred()) {
        size_t most = 0;
        for (size_t i = 0; i < asked; i++)
            most += cells.sizes[numbers[i] >> shared];
        found = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)(most * sizeof(uint32_t)));
    }
    if (found) {
        uint32_t *first = (uint32_t *)(void *)PyByteArray_AS_STRING(found);
        const uint32_t *end = read_buckets(&cells, shared, numbers, asked, first);
        if (PyByteArray_Resize(found, (end - first) * (Py_ssize_t)sizeof *end))
            Py_CLEAR(found);
    }
    close_buffers(&buffers);
    return found;
}

typedef struct {
    const int32_t *sizes; /* shingles of each row, with its kind as a sign */
    const uint64_t *rest, *quarter;
    uint64_t words[WORDS]; /* the sketch to compare with: the rest, then the quarter */
    int32_t low, high;     /* sizes that may reach the threshold */
    unsigned most_of_quarter, most;
} Rejection;

/* In how many bins of four bits some words differ. */
INLINE unsigned differing(const uint64_t *words, const uint64_t *others, int count) {
    unsigned bins = 0;
    for (int i = 0; i < count; i++) {
        uint64_t different = words[i] ^ others[i];
        different |= different >> 1;
        different |= different >> 2;
        bins += (unsigned)__builtin_popcountll(different & LOW_BITS);
    }
    return bins;
}

/* Keep the likely ones of a few rows, each as row << 32 | differing bins.
 *
 * The cheapest test comes first: one integer, then half a cache line, then a line and a half. Most
 * candidates of a template's pages end at the second. */
INLINE int keep_likely(const Rejection *to, const uint32_t *rows, int count, Found *found) {
    uint32_t chosen[AT_ONCE];
    unsigned quarters[AT_ONCE];
    int fitting = 0, near = 0;
    for (int i = 0; i < count; i++) {
        const int32_t size = to->sizes[rows[i]];
        chosen[fitting] = rows[i];
        if (size >= to->low && size <= to->high)
            PREFETCH(&to->quarter[QUARTER * (size_t)chosen[fitting++]]);
    }
    for (int i = 0; i < fitting; i++) {
        const size_t row = chosen[i];
        quarters[near] = differing(to->words + REST, to->quarter + QUARTER * row, QUARTER);
        chosen[near] = (uint32_t)row;
        if (quarters[near] <= to->most_of_quarter) {
            PREFETCH(&to->rest[REST * row]);
            PREFETCH(&to->rest[REST * row + REST - 1]);
            near++;
        }
    }
    if (found_reserve(found, (size_t)near))
        return -1;
    for (int i = 0; i < near; i++) {
        const unsigned bins =
            quarters[i] + differing(to->words, to->rest + REST * (size_t)chosen[i], REST);
        if (bins <= to->most)
            found->items[found->count++] = (uint64_t)chosen[i] << 32 | bins;
    }
    return 0;
}

INLINE void keep_all_likely(const Rejection *to, const uint32_t *rows, size_t count, Found *found) {
    for (size_t i = 0; i < count; i++)
        PREFETCH(&to->sizes[rows[i]]);
    for (size_t start = 0; start < count; start += AT_ONCE) {
        const size_t part = count - start < AT_ONCE ? count - start : AT_ONCE;
        if (keep_likely(to, rows + start, (int)part, found))
            return;
    }
}

static void keep_likely_anywhere(const Rejection *to, const uint32_t *rows, size_t count,
                                 Found *found) {
    keep_all_likely(to, rows, count, found);
}

#ifdef HAS_VARIANTS
WITH_POPCNT static void keep_likely_popcnt(const Rejection *to, const uint32_t *rows, size_t count,
                                           Found *found) {
    keep_all_likely(to, rows, count, found);
}
#else
#define keep_likely_popcnt keep_likely_anywhere
#endif

/* keep_likely_rows(rows, words, sizes, rest, quarter, low, high, most_of_quarter, most) */
PyObject *keep_likely_rows(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    Buffers buffers = {.count = 0};
    if (!takes("keep_likely_rows", count, 9) || open_buffers(&buffers, arguments, 5))
        return NULL;
    const Py_buffer *views = buffers.views;
    Rejection to = {
        .sizes = views[2].buf,
        .rest = views[3].buf,
        .quarter = views[4].buf,
        .low = (int32_t)PyLong_AsLong(arguments[5]),
        .high = (int32_t)PyLong_AsLong(arguments[6]),
        .most_of_quarter = number_of(arguments[7]),
        .most = number_of(arguments[8]),
    };
    Found found = {NULL, 0, 0};
    if (!PyErr_Occurred() && views[1].len != sizeof to.words)
        PyErr_Format(PyExc_ValueError, "a sketch has %d words", WORDS);
    if (!PyErr_Occurred()) {
        memcpy(to.words, views[1].buf, sizeof to.words);
        (counts_bits() ? keep_likely_popcnt : keep_likely_anywhere)(
            &to, views[0].buf, (size_t)views[0].len / sizeof(uint32_t), &found);
    }
    close_buffers(&buffers);
    return found_take(&found);
}
