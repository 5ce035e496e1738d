/* Folding white space, before a digest (`signing/digests.py`). */
#include "text.h"

/* There is no white space above: most Chinese characters need not be asked about. */
enum { LAST_SPACE = 0x3000 };

INLINE uint8_t *fold(int kind, const Text *text, uint8_t *start) {
    uint8_t *end = start;
    int is_apart = 0;
    for (Py_ssize_t place = 0; place < text->length; place++) {
        const uint32_t code = code_at(kind, text, place);
        if (code <= LAST_SPACE && Py_UNICODE_ISSPACE(code)) {
            is_apart = end > start;
            continue;
        }
        if (is_apart)
            *end++ = ' ';
        is_apart = 0;
        end = write_utf8(end, code);
    }
    return end;
}

/* fold_spaces(text) */
PyObject *fold_spaces(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    Text text;
    if (!takes("fold_spaces", count, 1))
        return NULL;
    if (open_text(arguments[0], NULL, &text))
        return NULL;
    PyObject *folded = PyBytes_FromStringAndSize(NULL, text.length * most_utf8(&text));
    if (folded) {
        uint8_t *start = (uint8_t *)PyBytes_AS_STRING(folded);
        uint8_t *end = BY_KIND(fold, &text, start);
        _PyBytes_Resize(&folded, end - start);
    }
    return folded;
}
