/* Hashing a text's shingles (`signing/shingles.py`). */
#include "text.h"

enum { IN_WORD_SHINGLE = 3, IN_CHARACTER_SHINGLE = 4, LONG_BITS = 5, RADIX = 256, DIGITS = 4 };

/* The factors here and in `add_shingle` are those of `plain_texts.py`. */
static const uint64_t WORD_FACTORS[] = {0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9};

typedef struct {
    uint32_t *hashes;
    size_t count;
    uint8_t *bytes; /* room for the longest word in UTF-8 */
    uint64_t seed;
} Shingles;

INLINE void add_shingle(Shingles *shingles, uint64_t shingle) {
    uint64_t hash = shingle * 0x9E3779B97F4A7C15;
    hash ^= hash >> 32;
    hash *= 0xFF51AFD7ED558CCD;
    shingles->hashes[shingles->count++] = (uint32_t)(hash >> 32);
}

/* Every run of four characters: 16 bits of each, and what is above them mixed in. The last four are
 * carried along, so each character is looked up once. */
INLINE void hash_characters(int kind, const Text *text, Shingles *shingles) {
    uint64_t low = 0, above = 0;
    int met = 0;
    for (Py_ssize_t place = 0; place < text->length; place++) {
        const uint32_t code = code_at(kind, text, place);
        if (class_of(text, code) == OTHER)
            continue;
        low = low >> 16 | (uint64_t)(code & 0xFFFF) << 48;
        above = above >> LONG_BITS | (uint64_t)(code >> 16) << 3 * LONG_BITS;
        if (++met >= IN_CHARACTER_SHINGLE) {
            met = IN_CHARACTER_SHINGLE;
            add_shingle(shingles, low ^ above * WORD_FACTORS[1]);
        }
    }
}

/* Return where a word ends: a run of its script, or one character of a script without spaces. */
INLINE Py_ssize_t word_end(int kind, const Text *text, Py_ssize_t start) {
    Py_ssize_t end = start + 1;
    if (class_of(text, code_at(kind, text, start)) == SPACED)
        while (end < text->length && class_of(text, code_at(kind, text, end)) == SPACED)
            end++;
    return end;
}

INLINE uint64_t hash_word(int kind, const Text *text, Py_ssize_t start, Py_ssize_t end,
                          const Shingles *shingles) {
    uint8_t *last = shingles->bytes;
    for (Py_ssize_t place = start; place < end; place++)
        last = write_utf8(last, code_at(kind, text, place));
    memset(last, 0, PADDING);
    return murmur(shingles->bytes, (size_t)(last - shingles->bytes), shingles->seed);
}

/* Every run of three words: a multilinear hash of their hashes. */
INLINE void hash_words(int kind, const Text *text, Shingles *shingles) {
    uint64_t first = 0, second = 0;
    int met = 0;
    for (Py_ssize_t start = 0, end = 0; start < text->length; start = end) {
        if (class_of(text, code_at(kind, text, start)) == OTHER) {
            end = start + 1;
            continue;
        }
        end = word_end(kind, text, start);
        const uint64_t third = hash_word(kind, text, start, end, shingles);
        if (++met >= IN_WORD_SHINGLE) {
            met = IN_WORD_SHINGLE;
            add_shingle(shingles, first * WORD_FACTORS[0] + second * WORD_FACTORS[1] +
                                      third * WORD_FACTORS[2]);
        }
        first = second;
        second = third;
    }
}

/* Sort by radix, least digit first: its time depends on nothing but the number of hashes. An even
 * number of digits, so the sorted ones end where they began. */
static void sort_hashes(uint32_t *hashes, uint32_t *other, size_t count) {
    size_t starts[DIGITS][RADIX] = {{0}};
    for (size_t i = 0; i < count; i++)
        for (unsigned digit = 0; digit < DIGITS; digit++)
            starts[digit][hashes[i] >> 8 * digit & 0xFF]++;
    for (unsigned digit = 0; digit < DIGITS; digit++) {
        for (size_t value = 0, start = 0; value < RADIX; value++) {
            const size_t own = starts[digit][value];
            starts[digit][value] = start;
            start += own;
        }
        for (size_t i = 0; i < count; i++)
            other[starts[digit][hashes[i] >> 8 * digit & 0xFF]++] = hashes[i];
        uint32_t *sorted = other;
        other = hashes;
        hashes = sorted;
    }
}

/* Each hash is written, and kept if it differs from the one before: no branch to guess. */
static size_t keep_distinct(uint32_t *sorted, size_t count) {
    size_t kept = 0;
    uint32_t last = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t hash = sorted[i];
        sorted[kept] = hash;
        kept += hash != last || i == 0;
        last = hash;
    }
    return kept;
}

static PyObject *hash_shingles(const Text *text, int by_characters, uint64_t seed) {
    const size_t length = (size_t)text->length; /* there are never more shingles */
    Shingles shingles = {
        .hashes = PyMem_Malloc(2 * length * sizeof(uint32_t)),
        .bytes = by_characters ? NULL : PyMem_Malloc(MOST_UTF8 * length + PADDING),
        .seed = seed,
    };
    PyObject *result = NULL;
    if (!shingles.hashes || !(shingles.bytes || by_characters)) {
        PyErr_NoMemory();
    } else {
        if (by_characters)
            BY_KIND(hash_characters, text, &shingles);
        else
            BY_KIND(hash_words, text, &shingles);
        sort_hashes(shingles.hashes, shingles.hashes + shingles.count, shingles.count);
        const size_t kept = keep_distinct(shingles.hashes, shingles.count);
        result = PyByteArray_FromStringAndSize((const char *)shingles.hashes,
                                               (Py_ssize_t)(kept * sizeof(uint32_t)));
    }
    PyMem_Free(shingles.hashes);
    PyMem_Free(shingles.bytes);
    return result;
}

/* shingle_hashes(text, classes, by_characters, seed) */
PyObject *shingle_hashes(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    Text text;
    if (!takes("shingle_hashes", count, 4))
        return NULL;
    const int by_characters = PyObject_IsTrue(arguments[2]);
    const uint64_t seed = PyLong_AsUnsignedLongLong(arguments[3]);
    if (PyErr_Occurred() || open_text(arguments[0], arguments[1], &text))
        return NULL;
    return hash_shingles(&text, by_characters, seed);
}
