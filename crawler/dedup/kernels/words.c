/* Counting a text's words (`signing/simhash.py`).
 *
 * A word is written as UTF-8 where it is met, and found again in a table of open addressing if it
 * was met before: none becomes an object. Each lies in blocks of 16 bytes of its own, filled up with
 * zeros, one at least.
 */
#include "words.h"

enum {
    FIRST_SLOTS = 1024,
    MOST_PROBES = 128, /* more than chance needs: words that need them were made for it */
};

static int grow_slots(Words *words, size_t slots) {
    uint32_t *grown = PyMem_Calloc(slots, sizeof *grown);
    Word *items = grown ? PyMem_Realloc(words->words, slots / 2 * sizeof *items) : NULL;
    if (!items) {
        PyMem_Free(grown);
        PyErr_NoMemory();
        return -1;
    }
    PyMem_Free(words->slots);
    words->words = items;
    words->slots = grown;
    words->last_slot = slots - 1;
    for (size_t number = 0; number < words->count; number++) {
        size_t slot = items[number].hash & words->last_slot;
        while (grown[slot])
            slot = (slot + 1) & words->last_slot;
        grown[slot] = (uint32_t)number + 1;
    }
    return 0;
}

int open_words(Words *words) {
    *words = (Words){0};
    return grow_slots(words, FIRST_SLOTS);
}

void close_words(Words *words) {
    PyMem_Free(words->bytes);
    PyMem_Free(words->words);
    PyMem_Free(words->slots);
}

/* Return where a word of some characters can be written, or NULL with MemoryError set: room for as
 * many bytes as they can take and for the zeros behind, so that nothing is checked while writing. */
static uint8_t *room_for(Words *words, size_t characters) {
    const size_t needed = words->used + MOST_UTF8 * characters + PADDING;
    if (needed > words->room) {
        uint8_t *bytes = PyMem_Realloc(words->bytes, 2 * needed);
        if (!bytes) {
            PyErr_NoMemory();
            return NULL;
        }
        words->bytes = bytes;
        words->room = 2 * needed;
    }
    return words->bytes + words->used;
}

INLINE size_t padded(size_t length) { return (length / PADDING + 1) * PADDING; }

/* Eight bytes at a time, up to and with a zero: both lie in blocks of 16 that end in one. */
INLINE int same_bytes(const uint8_t *bytes, const uint8_t *other, size_t length) {
    uint64_t differing = 0;
    for (size_t done = 0; done <= length; done += 8)
        differing |= read_little(bytes + done) ^ read_little(other + done);
    return !differing;
}

/* Count the word that was written up to `end`; its bytes are kept if it is new. */
static int count_word(Words *words, uint8_t *end, uint64_t hash) {
    const uint8_t *bytes = words->bytes + words->used;
    const size_t length = (size_t)(end - bytes);
    memset(end, 0, PADDING);
    size_t slot = hash & words->last_slot;
    for (int probes = 0; words->slots[slot]; slot = (slot + 1) & words->last_slot) {
        Word *known = &words->words[words->slots[slot] - 1];
        if (known->hash == hash && known->length == length &&
            same_bytes(words->bytes + known->start, bytes, length)) {
            known->count++;
            return 0;
        }
        if (++probes == MOST_PROBES)
            return -1;
    }
    words->words[words->count++] = (Word){hash, words->used, length, 1};
    words->slots[slot] = (uint32_t)words->count;
    words->used += padded(length);
    return words->count > words->last_slot / 2 ? grow_slots(words, 2 * (words->last_slot + 1)) : 0;
}

INLINE int count_part(int kind, const Text *text, Py_ssize_t start, Py_ssize_t end, Words *words) {
    uint8_t *bytes = room_for(words, (size_t)(end - start));
    if (!bytes)
        return -1;
    uint64_t hash = 0; /* as in `plain.py`; of characters: bytes cannot be read back fast that were just written */
    for (Py_ssize_t place = start; place < end; place++) {
        const uint32_t code = code_at(kind, text, place);
        hash = (hash ^ code) * 0x9E3779B97F4A7C15;
        bytes = write_utf8(bytes, code);
    }
    return count_word(words, bytes, hash ^ hash >> 32);
}

/* Count the pairs of neighbours in a run, or its only character. */
INLINE int count_pairs(int kind, const Text *text, Py_ssize_t start, Py_ssize_t end, Words *words) {
    if (end - start == 1)
        return count_part(kind, text, start, end, words);
    for (; start + 2 <= end; start++)
        if (count_part(kind, text, start, start + 2, words))
            return -1;
    return 0;
}

/* Count a text's words but those of its Han runs: they are the segmenter's. */
INLINE int count_runs_of(int kind, const Text *text, Words *words) {
    for (Py_ssize_t start = 0, end = 0; start < text->length; start = end) {
        const unsigned class = class_of(text, code_at(kind, text, start));
        int failed = 0;
        for (end = start + 1; end < text->length; end++)
            if (class_of(text, code_at(kind, text, end)) != class)
                break;
        if (class == SPACED)
            failed = count_part(kind, text, start, end, words);
        else if (class == UNSEGMENTED)
            failed = count_pairs(kind, text, start, end, words);
        if (failed)
            return -1;
    }
    return 0;
}

int count_runs(const Text *text, Words *words) { return BY_KIND(count_runs_of, text, words); }

/* Count the segmenter's words, a tuple, but the new-lines that kept runs apart. */
int count_segmented(PyObject *segmented, const Text *text, Words *words) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(segmented); i++) {
        PyObject *string = PyTuple_GET_ITEM(segmented, i);
        if (!PyUnicode_Check(string)) {
            PyErr_SetString(PyExc_TypeError, "a word must be a str");
            return -1;
        }
        const Text word = {(int)PyUnicode_KIND(string), PyUnicode_GET_LENGTH(string),
                           PyUnicode_DATA(string), text->classes};
        if (word.length == 1 && PyUnicode_READ(word.kind, word.codes, 0) == '\n')
            continue;
        if (BY_KIND(count_part, &word, 0, word.length, words))
            return -1;
    }
    return 0;
}
