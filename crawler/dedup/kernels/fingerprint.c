/* Summing the weights of words up (`signing/simhash.py`).
 *
 * Only here are words hashed by MurmurHash3, each different one once.
 */
#include "words.h"

enum {
    BITS = 64,
    STOP_SLOTS = 512,
    STOPS_SIZE = STOP_SLOTS * PADDING,
    SUMMED_AT_ONCE = 1024, /* so that sums of weights stay below 2^32 */
};

/* Whether a word is in the table of stop words (`stop_table` in `plain.py`), which is small
 * enough to stay in the caches: slots of a word's bytes, zeros and, as the last byte, its length.
 *
 * Words have zeros behind them, too, so two reads of eight bytes compare a whole slot. No more slots
 * are tried than there are: a table without an empty one does not hang the loop. */
INLINE int is_stop(const Words *words, const Word *word, const uint8_t *stops) {
    if (word->length >= PADDING)
        return 0;
    const uint8_t *bytes = words->bytes + word->start;
    const uint64_t end = read_little(bytes + 8) | (uint64_t)word->length << 56;
    for (size_t slot = word->hash, tried = 0; tried < STOP_SLOTS; slot++, tried++) {
        const uint8_t *stop = stops + slot % STOP_SLOTS * PADDING;
        if (!stop[PADDING - 1])
            return 0;
        if (read_little(stop) == read_little(bytes) && read_little(stop + 8) == end)
            return 1;
    }
    return 0;
}

typedef uint32_t Eight __attribute__((vector_size(32)));

/* Add the weights of some words up, of all and of those with each bit of the hash set.
 *
 * Sums of 32 bits, eight side by side: a byte of the hash chooses which of eight get the weight, by a
 * mask and without a branch, and all 64 sums stay in registers. That is why only so many words are
 * summed at once that they cannot overflow. */
static void add_weights(const Words *words, size_t first, size_t end, const uint32_t *weights,
                        uint64_t seed, uint64_t *total, uint64_t *sums) {
    const Eight ones = {1, 2, 4, 8, 16, 32, 64, 128};
    Eight added[BITS / 8] = {{0}};
    for (size_t i = first; i < end; i++) {
        const Word *word = &words->words[i];
        if (!word->count)
            continue;
        const uint64_t hash = murmur(words->bytes + word->start, word->length, seed);
        const uint32_t weight = weights[word->count];
        *total += weight;
        for (unsigned byte = 0; byte < BITS / 8; byte++)
            added[byte] += (Eight)(((uint32_t)(hash >> 8 * byte) & ones) == ones) & weight;
    }
    for (unsigned bit = 0; bit < BITS; bit++)
        sums[bit] += added[bit / 8][bit % 8];
}

/* Return (fingerprint, tokens) of all but stop words, or None where one has no listed weight. */
static PyObject *sum_up(const Words *words, const uint8_t *stops, const uint32_t *weights,
                        size_t listed, uint64_t seed) {
    uint64_t tokens = 0, total = 0, sums[BITS] = {0}, fingerprint = 0;
    for (size_t i = 0; i < words->count; i++) {
        Word *word = &words->words[i];
        if (is_stop(words, word, stops))
            word->count = 0;
        if (word->count >= listed)
            Py_RETURN_NONE;
        tokens += word->count;
    }
    for (size_t i = 0; i < words->count; i += SUMMED_AT_ONCE) {
        const size_t end = i + SUMMED_AT_ONCE;
        add_weights(words, i, end < words->count ? end : words->count, weights, seed, &total, sums);
    }
    for (unsigned bit = 0; bit < BITS; bit++)
        fingerprint |= (uint64_t)(2 * sums[bit] > total) << bit;
    return Py_BuildValue("(KK)", (unsigned long long)fingerprint, (unsigned long long)tokens);
}

static PyObject *fingerprint(const Text *text, PyObject *segmented, const uint8_t *stops,
                             const Py_buffer *weights, uint64_t seed) {
    Words words;
    PyObject *result = NULL;
    if (!open_words(&words) && !count_runs(text, &words) &&
        !count_segmented(segmented, text, &words))
        result = sum_up(&words, stops, weights->buf, (size_t)weights->len / sizeof(uint32_t), seed);
    close_words(&words);
    if (!result && !PyErr_Occurred())
        Py_RETURN_NONE;
    return result;
}

/* Return the segmenter's words as a tuple: nobody can take one away while it is counted, as another
 * thread could from a list. */
static PyObject *words_of(PyObject *segmented) {
    PyObject *given = PySequence_Fast(segmented, "words must be a sequence");
    PyObject *words = given ? PySequence_Tuple(given) : NULL;
    Py_XDECREF(given);
    return words;
}

/* fingerprint_words(text, classes, segmented, stops, weights, seed) */
PyObject *fingerprint_words(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    Text text;
    if (!takes("fingerprint_words", count, 6))
        return NULL;
    const uint64_t seed = PyLong_AsUnsignedLongLong(arguments[5]);
    if (PyErr_Occurred() || open_text(arguments[0], arguments[1], &text))
        return NULL;
    if (!PyBytes_Check(arguments[3]) || PyBytes_GET_SIZE(arguments[3]) != STOPS_SIZE) {
        PyErr_Format(PyExc_TypeError, "stop words must be %d bytes, of stop_table", STOPS_SIZE);
        return NULL;
    }
    const uint8_t *stops = (const uint8_t *)PyBytes_AS_STRING(arguments[3]);
    PyObject *segmented = words_of(arguments[2]);
    if (!segmented)
        return NULL;
    Py_buffer weights;
    PyObject *result = NULL;
    if (!PyObject_GetBuffer(arguments[4], &weights, PyBUF_SIMPLE)) {
        result = fingerprint(&text, segmented, stops, &weights, seed);
        PyBuffer_Release(&weights);
    }
    Py_DECREF(segmented);
    return result;
}
