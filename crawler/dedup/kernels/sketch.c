/* Making a sketch of shingle hashes (`signing/sketch.py`). */
#include "kernels.h"

#include <string.h>

enum { BINS = 256, BIN_SHIFT = 32 - 8, VALUE_BITS = 4, VALUE_MASK = 15, ATTEMPTS = 64 };
enum { COUNT_BYTES = 4, SKETCH_BYTES = BINS * VALUE_BITS / 8 + COUNT_BYTES };

/* SplitMix64 (Steele, Lea, Flood, OOPSLA 2014) at one of its states. */
static uint64_t splitmix64(uint64_t state) {
    uint64_t mixed = state * 0x9E3779B97F4A7C15;
    mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9;
    mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB;
    return mixed ^ mixed >> 31;
}

/* Return the bin that an empty one borrows from: of its sequence the first that is filled, or the
 * first of all. */
static unsigned donor_of(unsigned bin, const uint8_t *is_filled) {
    for (unsigned attempt = 0; attempt < ATTEMPTS; attempt++) {
        const unsigned donor = splitmix64((uint64_t)bin * ATTEMPTS + attempt + 1) % BINS;
        if (is_filled[donor])
            return donor;
    }
    unsigned first = 0;
    while (!is_filled[first])
        first++;
    return first;
}

static void fill_sketch(const uint32_t *hashes, size_t count, uint8_t *sketch) {
    uint8_t values[BINS], is_filled[BINS] = {0};
    for (size_t i = count; i-- > 0;) { /* from the largest, so that the smallest stays */
        values[hashes[i] >> BIN_SHIFT] = hashes[i] & VALUE_MASK;
        is_filled[hashes[i] >> BIN_SHIFT] = 1;
    }
    for (unsigned bin = 0; bin < BINS; bin += 2) {
        const uint8_t low = values[is_filled[bin] ? bin : donor_of(bin, is_filled)];
        const uint8_t high = values[is_filled[bin + 1] ? bin + 1 : donor_of(bin + 1, is_filled)];
        *sketch++ = (uint8_t)(low | high << VALUE_BITS);
    }
    for (unsigned byte = 0; byte < COUNT_BYTES; byte++)
        *sketch++ = (uint8_t)(count >> 8 * byte);
}

/* make_sketch(hashes) */
PyObject *make_sketch(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    if (!takes("make_sketch", count, 1))
        return NULL;
    Py_buffer view;
    if (PyObject_GetBuffer(arguments[0], &view, PyBUF_SIMPLE))
        return NULL;
    uint8_t sketch[SKETCH_BYTES] = {0};
    const size_t hashes = (size_t)view.len / sizeof(uint32_t);
    if (hashes)
        fill_sketch(view.buf, hashes, sketch);
    PyBuffer_Release(&view);
    return PyBytes_FromStringAndSize((const char *)sketch, SKETCH_BYTES);
}
