/* Hashing a text's shingles, and marking them by a secret key (`signing/shingles.py`). */
#include "keyed.h"
#include "text.h"

enum { IN_WORD_SHINGLE = 3, IN_CHARACTER_SHINGLE = 4, LONG_BITS = 5, RADIX = 256, DIGITS = 4 };
enum { MARK_BITS = 8, MARK_MASK = (1 << MARK_BITS) - 1 };

/* The factors here and in `add_shingle` are those of `plain.py`. */
static const uint64_t WORD_FACTORS[] = {0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9};

typedef struct {
    uint64_t *marked; /* the hash of each shingle above its mark */
    size_t count;
    uint8_t *bytes; /* room for the longest word in UTF-8 */
    uint64_t seed;
    const Key *key; /* NULL: every mark is 0 */
} Shingles;

INLINE void add_shingle(Shingles *shingles, uint64_t shingle, uint64_t mark) {
    uint64_t hash = shingle * 0x9E3779B97F4A7C15;
    hash ^= hash >> 32;
    hash *= 0xFF51AFD7ED558CCD;
    shingles->marked[shingles->count++] = hash >> 32 << MARK_BITS | (mark & MARK_MASK);
}

/* A message of 11 bytes: what is above the low 16 bits takes less than three. */
INLINE uint64_t mark_of_characters(uint64_t low, uint64_t above, const Key *key) {
    return siphash(&low, 1, (uint64_t)11 << LENGTH_SHIFT | above, key);
}

INLINE uint64_t mark_of_words(const uint64_t words[IN_WORD_SHINGLE], const Key *key) {
    return siphash(words, IN_WORD_SHINGLE, (uint64_t)24 << LENGTH_SHIFT, key);
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
            add_shingle(shingles, low ^ above * WORD_FACTORS[1],
                        shingles->key ? mark_of_characters(low, above, shingles->key) : 0);
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

/* Write a word with PADDING zeros behind it; return its length. */
INLINE size_t write_word(int kind, const Text *text, Py_ssize_t start, Py_ssize_t end,
                         const Shingles *shingles) {
    uint8_t *last = shingles->bytes;
    for (Py_ssize_t place = start; place < end; place++)
        last = write_utf8(last, code_at(kind, text, place));
    memset(last, 0, PADDING);
    return (size_t)(last - shingles->bytes);
}

/* Every run of three words: a multilinear hash of their hashes. */
INLINE void hash_words(int kind, const Text *text, Shingles *shingles) {
    uint64_t first = 0, second = 0, words[IN_WORD_SHINGLE] = {0};
    int met = 0;
    for (Py_ssize_t start = 0, end = 0; start < text->length; start = end) {
        if (class_of(text, code_at(kind, text, start)) == OTHER) {
            end = start + 1;
            continue;
        }
        end = word_end(kind, text, start);
        const size_t length = write_word(kind, text, start, end, shingles);
        const uint64_t third = murmur(shingles->bytes, length, shingles->seed);
        words[0] = words[1];
        words[1] = words[2];
        words[2] = shingles->key ? residue(shingles->bytes, length, shingles->key) : 0;
        if (++met >= IN_WORD_SHINGLE) {
            met = IN_WORD_SHINGLE;
            add_shingle(shingles,
                        first * WORD_FACTORS[0] + second * WORD_FACTORS[1] +
                            third * WORD_FACTORS[2],
                        shingles->key ? mark_of_words(words, shingles->key) : 0);
        }
        first = second;
        second = third;
    }
}

/* Sort by radix, least digit of the hash first: its time depends on nothing but the number of hashes,
 * and equal ones stay in the order of the text. An even number of digits, so the sorted ones end
 * where they began. */
static void sort_by_hash(uint64_t *marked, uint64_t *other, size_t count) {
    size_t starts[DIGITS][RADIX] = {{0}};
    for (size_t i = 0; i < count; i++)
        for (unsigned digit = 0; digit < DIGITS; digit++)
            starts[digit][marked[i] >> (MARK_BITS + 8 * digit) & 0xFF]++;
    for (unsigned digit = 0; digit < DIGITS; digit++) {
        for (size_t value = 0, start = 0; value < RADIX; value++) {
            const size_t own = starts[digit][value];
            starts[digit][value] = start;
            start += own;
        }
        for (size_t i = 0; i < count; i++)
            other[starts[digit][marked[i] >> (MARK_BITS + 8 * digit) & 0xFF]++] = marked[i];
        uint64_t *sorted = other;
        other = marked;
        marked = sorted;
    }
}

/* Each one is written, and kept if its hash differs from the one before: no branch to guess. Each
 * hash has the mark of the first shingle that has it. */
static size_t keep_distinct(const uint64_t *sorted, size_t count, uint32_t *hashes, uint8_t *marks) {
    size_t kept = 0;
    uint64_t last = 0;
    for (size_t i = 0; i < count; i++) {
        const uint64_t hash = sorted[i] >> MARK_BITS;
        if (hash != last || i == 0) {
            hashes[kept] = (uint32_t)hash;
            marks[kept++] = (uint8_t)(sorted[i] & MARK_MASK);
        }
        last = hash;
    }
    return kept;
}

/* Return hashes and marks as two bytearrays, no marks without a key. */
static PyObject *take_distinct(Shingles *shingles) {
    const size_t room = shingles->count ? shingles->count : 1;
    uint32_t *hashes = PyMem_Malloc(room * sizeof *hashes);
    uint8_t *marks = PyMem_Malloc(room);
    PyObject *result = NULL;
    if (!hashes || !marks) {
        PyErr_NoMemory();
    } else {
        const size_t kept = keep_distinct(shingles->marked, shingles->count, hashes, marks);
        PyObject *first = PyByteArray_FromStringAndSize((const char *)hashes,
                                                        (Py_ssize_t)(kept * sizeof *hashes));
        PyObject *second = PyByteArray_FromStringAndSize((const char *)marks,
                                                         shingles->key ? (Py_ssize_t)kept : 0);
        if (first && second)
            result = PyTuple_Pack(2, first, second);
        Py_XDECREF(first);
        Py_XDECREF(second);
    }
    PyMem_Free(hashes);
    PyMem_Free(marks);
    return result;
}

static PyObject *hash_shingles(const Text *text, int by_characters, uint64_t seed, const Key *key) {
    const size_t length = (size_t)text->length; /* there are never more shingles */
    Shingles shingles = {
        .marked = PyMem_Malloc(2 * length * sizeof(uint64_t)),
        .bytes = by_characters ? NULL : PyMem_Malloc(MOST_UTF8 * length + PADDING),
        .seed = seed,
        .key = key,
    };
    PyObject *result = NULL;
    if (!shingles.marked || !(shingles.bytes || by_characters)) {
        PyErr_NoMemory();
    } else {
        if (by_characters)
            BY_KIND(hash_characters, text, &shingles);
        else
            BY_KIND(hash_words, text, &shingles);
        sort_by_hash(shingles.marked, shingles.marked + shingles.count, shingles.count);
        result = take_distinct(&shingles);
    }
    PyMem_Free(shingles.marked);
    PyMem_Free(shingles.bytes);
    return result;
}

/* shingle_hashes(text, classes, by_characters, seed, key) */
PyObject *shingle_hashes(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    Text text;
    Key key;
    if (!takes("shingle_hashes", count, 5))
        return NULL;
    const int by_characters = PyObject_IsTrue(arguments[2]);
    const uint64_t seed = PyLong_AsUnsignedLongLong(arguments[3]);
    if (PyErr_Occurred() || open_text(arguments[0], arguments[1], &text))
        return NULL;
    const int keyed = open_key(arguments[4], &key);
    return keyed < 0 ? NULL : hash_shingles(&text, by_characters, seed, keyed ? &key : NULL);
}
