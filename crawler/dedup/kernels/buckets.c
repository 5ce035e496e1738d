/* Writing entries into buckets (`index/buckets.py`): to the end of each one's last page.
 *
 * The first entry of a page fills all of it, so that empty slots repeat an entry of their bucket:
 * numpy may then read whole pages and needs no count of what is in them. */
#include "kernels.h"

typedef struct {
    const uint32_t *rows, *tags;
} Entries;

INLINE void write_entry(const Cells *to, uint32_t bucket, const Entries *from, uint32_t entry) {
    const uint32_t size = to->sizes[bucket]++;
    const uint32_t slots = 1u << to->slot_bits, used = size & (slots - 1);
    const size_t page = to->pages[to->starts[bucket] + (size >> to->slot_bits)];
    const size_t first = (page << to->slot_bits) + used;
    const size_t end = used ? first + 1 : first + slots;
    for (size_t slot = first; slot < end; slot++)
        to->rows[slot] = from->rows[entry];
    if (to->tags)
        for (size_t slot = first; slot < end; slot++)
            to->tags[slot] = from->tags[entry];
}

/* insert_entries(buckets, rows, tags, cells) */
PyObject *insert_entries(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    Buffers buffers = {.count = 0};
    Cells to;
    if (!takes("insert_entries", count, 4) || open_buffers(&buffers, arguments, 3) ||
        open_cells(&buffers, arguments[3], &to))
        return NULL;
    const uint32_t *numbers = buffers.views[0].buf;
    const Entries from = {buffers.views[1].buf, buffers.views[2].buf};
    const size_t entries = (size_t)buffers.views[0].len / sizeof *numbers;
    if (!PyErr_Occurred())
        for (size_t i = 0; i < entries; i++)
            write_entry(&to, numbers[i], &from, (uint32_t)i);
    close_buffers(&buffers);
    if (PyErr_Occurred())
        return NULL;
    Py_RETURN_NONE;
}

/* place_entries(keys, rows, tags, cells) */
PyObject *place_entries(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    Buffers buffers = {.count = 0};
    Cells to;
    if (!takes("place_entries", count, 4) || open_buffers(&buffers, arguments, 3) ||
        open_cells(&buffers, arguments[3], &to))
        return NULL;
    const uint64_t *keys = buffers.views[0].buf;
    const Entries from = {buffers.views[1].buf, buffers.views[2].buf};
    const size_t entries = (size_t)buffers.views[0].len / sizeof *keys;
    if (!PyErr_Occurred())
        for (size_t i = 0; i < entries; i++)
            write_entry(&to, (uint32_t)(keys[i] >> 32), &from, (uint32_t)keys[i]);
    close_buffers(&buffers);
    if (PyErr_Occurred())
        return NULL;
    Py_RETURN_NONE;
}
