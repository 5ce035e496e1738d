/* How the kernels of signing read texts: characters, their scripts, their bytes and hashes. */
#ifndef CRAWLER_DEDUP_TEXT_H
#define CRAWLER_DEDUP_TEXT_H

#include "kernels.h"

#include <string.h>

/* Classes of characters, as `plain.py` numbers them. The table of them is of two stages,
 * so that the few blocks of a text stay in the caches: for each block of 256 characters the number
 * of its page, then 256 pages of classes. No byte of it can lead outside. */
enum {
    OTHER,
    SPACED,
    UNSEGMENTED,
    HAN,
    BLOCK_SHIFT = 8,
    BLOCK_MASK = (1 << BLOCK_SHIFT) - 1,
    CODE_BLOCKS = 1024,
    TABLE_SIZE = CODE_BLOCKS + (1 << 2 * BLOCK_SHIFT),
};

typedef struct {
    int kind; /* bytes a character */
    Py_ssize_t length;
    const void *codes;
    const uint8_t *classes;
} Text;

/* Open a str and, unless it is NULL, the table of classes; both must outlive the text. 0, or -1 with
 * an exception set. Sizes of some bytes for each character never overflow. */
int open_text(PyObject *string, PyObject *table, Text *text);

/* Call a function that is compiled for each size of characters. */
#define BY_KIND(function, text, ...)                                                               \
    ((text)->kind == PyUnicode_1BYTE_KIND   ? function(PyUnicode_1BYTE_KIND, text, __VA_ARGS__)    \
     : (text)->kind == PyUnicode_2BYTE_KIND ? function(PyUnicode_2BYTE_KIND, text, __VA_ARGS__)    \
                                            : function(PyUnicode_4BYTE_KIND, text, __VA_ARGS__))

INLINE uint32_t code_at(int kind, const Text *text, Py_ssize_t place) {
    return PyUnicode_READ(kind, text->codes, place);
}

INLINE unsigned class_of(const Text *text, uint32_t code) {
    const uint32_t block = code >> BLOCK_SHIFT;
    if (block >= CODE_BLOCKS)
        return OTHER;
    return text->classes[CODE_BLOCKS + (text->classes[block] << BLOCK_SHIFT | (code & BLOCK_MASK))];
}

/* Words are hashed as UTF-8, which is written where this many zeros can follow. */
enum { MOST_UTF8 = 4, PADDING = 16 };

/* Return how many bytes a character of a text can take. */
INLINE Py_ssize_t most_utf8(const Text *text) {
    return text->kind < MOST_UTF8 ? text->kind + 1 : MOST_UTF8;
}

INLINE uint8_t *write_utf8(uint8_t *end, uint32_t code) {
    if (code < 0x80) {
        *end++ = (uint8_t)code;
        return end;
    }
    if (code < 0x800) {
        *end++ = (uint8_t)(0xC0 | code >> 6);
    } else {
        if (code < 0x10000) {
            *end++ = (uint8_t)(0xE0 | code >> 12);
        } else {
            *end++ = (uint8_t)(0xF0 | code >> 18);
            *end++ = (uint8_t)(0x80 | (code >> 12 & 0x3F));
        }
        *end++ = (uint8_t)(0x80 | (code >> 6 & 0x3F));
    }
    *end++ = (uint8_t)(0x80 | (code & 0x3F));
    return end;
}

INLINE uint64_t read_little(const uint8_t *bytes) {
    uint64_t value;
    memcpy(&value, bytes, sizeof value);
#if PY_BIG_ENDIAN
    value = __builtin_bswap64(value);
#endif
    return value;
}

INLINE uint64_t rotated(uint64_t value, unsigned bits) { return value << bits | value >> (64 - bits); }

INLINE uint64_t murmur_block(uint64_t block, uint64_t factor, unsigned bits, uint64_t other) {
    return rotated(block * factor, bits) * other;
}

INLINE uint64_t murmur_final(uint64_t hash) {
    hash = (hash ^ hash >> 33) * 0xFF51AFD7ED558CCD;
    hash = (hash ^ hash >> 33) * 0xC4CEB9FE1A85EC53;
    return hash ^ hash >> 33;
}

/* Return the first 64 bits of MurmurHash3 x64 128 (Austin Appleby, public domain: MurmurHash3.cpp of
 * github.com/aappleby/smhasher) of bytes with PADDING zeros behind them: so its last 0 to 15 bytes
 * are read as a block of 16, where zeros change nothing. */
INLINE uint64_t murmur(const uint8_t *bytes, size_t length, uint64_t seed) {
    const uint64_t c1 = 0x87C37B91114253D5, c2 = 0x4CF5AD432745937F;
    uint64_t h1 = seed, h2 = seed;
    for (const uint8_t *last = bytes + length / 16 * 16; bytes < last; bytes += 16) {
        h1 ^= murmur_block(read_little(bytes), c1, 31, c2);
        h1 = (rotated(h1, 27) + h2) * 5 + 0x52DCE729;
        h2 ^= murmur_block(read_little(bytes + 8), c2, 33, c1);
        h2 = (rotated(h2, 31) + h1) * 5 + 0x38495AB5;
    }
    h1 ^= murmur_block(read_little(bytes), c1, 31, c2) ^ length;
    h2 ^= murmur_block(read_little(bytes + 8), c2, 33, c1) ^ length;
    h1 += h2;
    h2 += h1;
    return murmur_final(h1) + murmur_final(h2);
}

#endif
