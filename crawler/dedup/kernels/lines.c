/* Which lines the pages of a site have shown (`crawler/frontier/learning.py`): a Bloom filter. */
#include "kernels.h"

static const uint32_t odd[] = {0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D, 0x27D4EB2F};
enum { HASHES = 4 };

typedef struct {
    uint8_t *bytes;
    unsigned shift; /* of a hash, which leaves the number of a bit */
} Filter;

static Filter filter_in(const Py_buffer *view) {
    Filter filter = {view->buf, 32};
    for (size_t bits = (size_t)view->len * 8; bits > 1; bits >>= 1)
        filter.shift--;
    return filter;
}

INLINE uint32_t bit_of(uint32_t line, int hash, Filter filter) {
    return (line ^ line >> 15) * odd[hash] >> filter.shift;
}

static int has(Filter filter, uint32_t line) {
    int hash = 0;
    for (; hash < HASHES; hash++) {
        const uint32_t bit = bit_of(line, hash, filter);
        if (!(filter.bytes[bit >> 3] >> (bit & 7) & 1))
            break;
    }
    return hash == HASHES;
}

/* keep_new_lines(lines, seen) */
PyObject *keep_new_lines(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    Buffers buffers = {.count = 0};
    if (!takes("keep_new_lines", count, 2) || open_buffers(&buffers, arguments, 2))
        return NULL;
    const uint32_t *lines = buffers.views[0].buf;
    const Py_ssize_t number = buffers.views[0].len / (Py_ssize_t)sizeof *lines;
    const Filter seen = filter_in(&buffers.views[1]);
    PyObject *kept = PyBytes_FromStringAndSize(NULL, buffers.views[0].len);
    if (kept) {
        uint32_t *to = (uint32_t *)PyBytes_AS_STRING(kept);
        Py_ssize_t added = 0;
        for (Py_ssize_t i = 0; i < number; i++)
            if (!has(seen, lines[i]))
                to[added++] = lines[i];
        _PyBytes_Resize(&kept, added * (Py_ssize_t)sizeof *lines); /* NULL, if there is no memory */
    }
    close_buffers(&buffers);
    return kept;
}

/* note_lines(lines, seen) */
PyObject *note_lines(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    Buffers buffers = {.count = 0};
    if (!takes("note_lines", count, 2) || open_buffers(&buffers, arguments, 1) ||
        open_arrays(&buffers, arguments + 1, 1))
        return NULL;
    const uint32_t *lines = buffers.views[0].buf;
    const Py_ssize_t number = buffers.views[0].len / (Py_ssize_t)sizeof *lines;
    const Filter seen = filter_in(&buffers.views[1]);
    for (Py_ssize_t i = 0; i < number; i++)
        for (int hash = 0; hash < HASHES; hash++) {
            const uint32_t bit = bit_of(lines[i], hash, seen);
            seen.bytes[bit >> 3] |= (uint8_t)(1 << (bit & 7));
        }
    close_buffers(&buffers);
    Py_RETURN_NONE;
}
