/* Writing entries into buckets (`index/buckets.py`): to the end of each one's last page.
 *
 * The first entry of a page fills all of it, so that empty slots repeat an entry of their bucket. */
#include "kernels.h"

typedef struct {
    const uint32_t *rows, *tags; /* what is added; no tags if NULL */
    uint32_t *sizes;
    const uint32_t *starts, *pages;
    uint32_t *row_slots, *tag_slots;
    unsigned slot_bits;
} Writing;

INLINE void write_entry(const Writing *to, uint32_t bucket, uint32_t entry) {
    const uint32_t size = to->sizes[bucket]++;
    const uint32_t slots = 1u << to->slot_bits, used = size & (slots - 1);
    const size_t page = to->pages[to->starts[bucket] + (size >> to->slot_bits)];
    const size_t first = (page << to->slot_bits) + used;
    const size_t end = used ? first + 1 : first + slots;
    for (size_t slot = first; slot < end; slot++)
        to->row_slots[slot] = to->rows[entry];
    if (to->tags)
        for (size_t slot = first; slot < end; slot++)
            to->tag_slots[slot] = to->tags[entry];
}

/* Open (buckets or keys, rows, tags, sizes, starts, pages, row_slots, tag_slots), slot_bits. */
static int open_writing(PyObject *const *arguments, Buffers *buffers, Writing *to) {
    if (open_buffers(arguments, 8, buffers))
        return -1;
    const Py_buffer *views = buffers->views;
    *to = (Writing){
        .rows = views[1].buf,
        .tags = views[2].len ? views[2].buf : NULL,
        .sizes = views[3].buf,
        .starts = views[4].buf,
        .pages = views[5].buf,
        .row_slots = views[6].buf,
        .tag_slots = views[7].buf,
        .slot_bits = (unsigned)PyLong_AsUnsignedLong(arguments[8]),
    };
    if (PyErr_Occurred()) {
        close_buffers(buffers);
        return -1;
    }
    return 0;
}

/* insert_entries(buckets, rows, tags, sizes, starts, pages, row_slots, tag_slots, slot_bits, first,
 * opened): write entry `first` and those after it, up to one that needs a new page, and return its
 * number; the first one's is there already if `opened`. */
PyObject *insert_entries(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    Py_buffer views[8];
    Buffers buffers = {views, 0};
    Writing to;
    if (!takes("insert_entries", count, 11) || open_writing(arguments, &buffers, &to))
        return NULL;
    const uint32_t *numbers = views[0].buf;
    const size_t entries = (size_t)views[0].len / sizeof *numbers;
    const uint32_t last = (1u << to.slot_bits) - 1;
    size_t entry = PyLong_AsSize_t(arguments[9]);
    int opened = PyObject_IsTrue(arguments[10]);
    if (!PyErr_Occurred())
        for (; entry < entries && (opened || to.sizes[numbers[entry]] & last); entry++, opened = 0)
            write_entry(&to, numbers[entry], (uint32_t)entry);
    close_buffers(&buffers);
    return PyErr_Occurred() ? NULL : PyLong_FromSize_t(entry);
}

/* place_entries(keys, rows, tags, sizes, starts, pages, row_slots, tag_slots, slot_bits): write
 * entry `key & 0xFFFFFFFF` to bucket `key >> 32` for each key; all pages are there. */
PyObject *place_entries(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    Py_buffer views[8];
    Buffers buffers = {views, 0};
    Writing to;
    if (!takes("place_entries", count, 9) || open_writing(arguments, &buffers, &to))
        return NULL;
    const uint64_t *keys = views[0].buf;
    const size_t entries = (size_t)views[0].len / sizeof *keys;
    for (size_t i = 0; i < entries; i++)
        write_entry(&to, (uint32_t)(keys[i] >> 32), (uint32_t)keys[i]);
    close_buffers(&buffers);
    Py_RETURN_NONE;
}
