/* Cutting a text by script (`signing/scripts.py`). */
#include "text.h"

typedef struct {
    void *kept;    /* the text's own characters, and spaces for those of no script */
    uint16_t *han; /* Han runs, a new-line between two; never longer than the text */
    Py_ssize_t han_length, unspaced, characters;
} Cut;

/* Every character is written to the place it was read from, so what is written never outgrows the
 * text: a new-line behind a Han run takes the room of the character that ended it. */
INLINE void cut(int kind, const Text *text, Cut *found) {
    int in_han = 0;
    for (Py_ssize_t place = 0; place < text->length; place++) {
        const uint32_t code = code_at(kind, text, place);
        const unsigned class = class_of(text, code);
        PyUnicode_WRITE(kind, found->kept, place, class == OTHER ? ' ' : code);
        found->characters += class != OTHER;
        found->unspaced += class > SPACED;
        if (class == HAN)
            found->han[found->han_length++] = (uint16_t)code;
        else if (in_han)
            found->han[found->han_length++] = '\n';
        in_han = class == HAN;
    }
    if (found->han_length && !in_han)
        found->han_length--;
}

/* cut_by_script(text, classes) */
PyObject *cut_by_script(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    Text text;
    if (!takes("cut_by_script", count, 2))
        return NULL;
    if (open_text(arguments[0], arguments[1], &text))
        return NULL;
    Cut found = {
        .kept = PyMem_Malloc((size_t)text.length * (size_t)text.kind),
        .han = PyMem_Malloc((size_t)text.length * sizeof(uint16_t)),
    };
    PyObject *kept = NULL, *han = NULL, *result = NULL;
    if (!found.kept || !found.han) {
        PyErr_NoMemory();
    } else {
        BY_KIND(cut, &text, &found);
        kept = PyUnicode_FromKindAndData(text.kind, found.kept, text.length);
        han = PyUnicode_FromKindAndData(PyUnicode_2BYTE_KIND, found.han, found.han_length);
    }
    PyMem_Free(found.kept);
    PyMem_Free(found.han);
    if (kept && han)
        result = Py_BuildValue("(OOnn)", kept, han, found.unspaced, found.characters);
    Py_XDECREF(kept);
    Py_XDECREF(han);
    return result;
}
