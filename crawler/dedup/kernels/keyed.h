/* Functions of a secret key, which nobody can aim at who does not know it: `plain.py` documents
 * them. */
#ifndef CRAWLER_DEDUP_KEYED_H
#define CRAWLER_DEDUP_KEYED_H

#include "text.h"

enum { KEY_SIZE = 24, CHUNK = 7, LENGTH_SHIFT = 56 };

typedef struct {
    uint64_t low, high; /* of SipHash */
    uint64_t point;     /* of the polynomials, below PRIME */
} Key;

static const uint64_t PRIME = ((uint64_t)1 << 61) - 1, CHUNK_MASK = ((uint64_t)1 << 8 * CHUNK) - 1;

/* Read a key: 1 for one, 0 for none (no bytes), -1 with an exception set. */
INLINE int open_key(PyObject *argument, Key *key) {
    if (!PyBytes_Check(argument) ||
        (PyBytes_GET_SIZE(argument) && PyBytes_GET_SIZE(argument) != KEY_SIZE)) {
        PyErr_Format(PyExc_TypeError, "a key must be %d bytes, or none", KEY_SIZE);
        return -1;
    }
    if (!PyBytes_GET_SIZE(argument))
        return 0;
    const uint8_t *bytes = (const uint8_t *)PyBytes_AS_STRING(argument);
    *key = (Key){
        .low = read_little(bytes),
        .high = read_little(bytes + 8),
        .point = read_little(bytes + 16) % PRIME,
    };
    return 1;
}

/* Return a number below 2^61 modulo PRIME, and the product of two of them. */
INLINE uint64_t reduced(uint64_t number) { return number >= PRIME ? number - PRIME : number; }

INLINE uint64_t product(uint64_t one, uint64_t other) {
    const unsigned __int128 whole = (unsigned __int128)one * other;
    return reduced((uint64_t)(whole & PRIME) + (uint64_t)(whole >> 61));
}

/* Return the polynomial of bytes with PADDING zeros behind them, at the point of the key. */
INLINE uint64_t residue(const uint8_t *bytes, size_t length, const Key *key) {
    uint64_t sum = length;
    for (size_t start = 0; start < length; start += CHUNK)
        sum = reduced(product(sum, key->point) + (read_little(bytes + start) & CHUNK_MASK));
    return sum;
}

INLINE void sip_round(uint64_t v[4]) {
    v[0] += v[1];
    v[2] += v[3];
    v[1] = rotated(v[1], 13) ^ v[0];
    v[3] = rotated(v[3], 16) ^ v[2];
    v[0] = rotated(v[0], 32) + v[3];
    v[2] += v[1];
    v[3] = rotated(v[3], 21) ^ v[0];
    v[1] = rotated(v[1], 17) ^ v[2];
    v[2] = rotated(v[2], 32);
}

/* SipHash-1-3 of some words of 8 bytes and fewer bytes in the last, which are `last` with the number
 * of all bytes in its highest. */
INLINE uint64_t siphash(const uint64_t *words, unsigned count, uint64_t last, const Key *key) {
    uint64_t v[] = {key->low ^ 0x736F6D6570736575, key->high ^ 0x646F72616E646F6D,
                    key->low ^ 0x6C7967656E657261, key->high ^ 0x7465646279746573};
    for (unsigned place = 0; place <= count; place++) {
        const uint64_t word = place < count ? words[place] : last;
        v[3] ^= word;
        sip_round(v);
        v[0] ^= word;
    }
    v[2] ^= 0xFF;
    for (int round = 0; round < 3; round++)
        sip_round(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

#endif
