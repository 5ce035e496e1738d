/* What the kernels share. Each is one loop of the index, of signing or of known lines that numpy can only take apart
 * into many calls, over all of its data in each; the `plain_*.py` beside it are what it is tested
 * against, and document it. Numbers come in as arrays of the callers (the buffer protocol) and go out
 * as a bytearray that numpy reads in place. All hold the GIL and keep no state. */
#ifndef CRAWLER_DEDUP_KERNELS_H
#define CRAWLER_DEDUP_KERNELS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>

#define KERNELS_VERSION 4 /* as in __init__.py */

/* Loops that count bits are compiled for several processors, and the fastest is chosen at run time,
 * up to MOST_VARIANT, which `tests/dedup/kernels/sanitize.py` lowers: 2 vectors, 1 an instruction, 0 neither. */
#ifndef MOST_VARIANT
#define MOST_VARIANT 2
#endif
#if defined(__x86_64__) && defined(__GNUC__)
#define HAS_VARIANTS 1
#define WITH_POPCNT __attribute__((target("popcnt")))
#define WITH_VPOPCNT __attribute__((target("popcnt,avx512f,avx512vl,avx512vpopcntdq")))
/* Whether the processor counts bits by an instruction. */
static inline int counts_bits(void) { return MOST_VARIANT >= 1 && __builtin_cpu_supports("popcnt"); }
#else
static inline int counts_bits(void) { return 0; }
#endif
#define INLINE static inline __attribute__((always_inline))

#define PREFETCH(address) __builtin_prefetch(address)

/* Whether a kernel was given as many arguments as it takes; if not, TypeError is set. */
int takes(const char *kernel, Py_ssize_t given, Py_ssize_t expected);

/* The buffers a kernel has open; begin with {.count = 0}. */
typedef struct {
    Py_buffer views[10];
    int count;
} Buffers;

/* Open some more arguments as contiguous buffers; on failure an exception is set and none is open. */
int open_buffers(Buffers *buffers, PyObject *const *objects, int count);
int open_arrays(Buffers *buffers, PyObject *const *objects, int count); /* to be written to */
void close_buffers(Buffers *buffers);

/* Buckets of entries (`index/buckets.py`), as the tuple `Buckets.cells` has them. What keeps every
 * index inside is how they were filled: a bucket of n entries has (n + slots - 1) >> slot_bits pages
 * in its run, and a page that is named there is there. */
typedef struct {
    uint32_t *sizes;                /* entries in each bucket */
    const uint32_t *starts, *pages; /* where the run of each begins, and the pages in it */
    uint32_t *rows, *tags;          /* of all entries, page by page; no tags if NULL */
    unsigned slot_bits;             /* a page has 1 << slot_bits entries */
} Cells;

int open_cells(Buffers *buffers, PyObject *tuple, Cells *cells); /* fails as open_buffers does */

/* A small number among the arguments; where it is none, an exception is set. */
unsigned number_of(PyObject *argument);

/* Numbers that are found one after another, and become a bytearray in the end. */
typedef struct {
    uint64_t *items;
    size_t count, room;
} Found;

int found_reserve(Found *found, size_t more); /* 0, or -1 with MemoryError set */
PyObject *found_take(Found *found);           /* a bytearray; frees what was found either way */

PyObject *find_rows(PyObject *, PyObject *const *, Py_ssize_t);
PyObject *keep_likely_rows(PyObject *, PyObject *const *, Py_ssize_t);
PyObject *insert_entries(PyObject *, PyObject *const *, Py_ssize_t);
PyObject *place_entries(PyObject *, PyObject *const *, Py_ssize_t);
PyObject *near_fingerprints(PyObject *, PyObject *const *, Py_ssize_t);
PyObject *fold_spaces(PyObject *, PyObject *const *, Py_ssize_t);
PyObject *cut_by_script(PyObject *, PyObject *const *, Py_ssize_t);
PyObject *fingerprint_words(PyObject *, PyObject *const *, Py_ssize_t);
PyObject *shingle_hashes(PyObject *, PyObject *const *, Py_ssize_t);
PyObject *make_sketch(PyObject *, PyObject *const *, Py_ssize_t);
PyObject *keep_new_lines(PyObject *, PyObject *const *, Py_ssize_t);
PyObject *note_lines(PyObject *, PyObject *const *, Py_ssize_t);

#endif
