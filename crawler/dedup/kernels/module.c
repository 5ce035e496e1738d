/* The module: its table of kernels, and how they read arguments and return results.
 *
 * What each kernel takes, returns and guarantees is told beside its Python, in the `plain_*.py`. */
#include "text.h"

#include <string.h>

int takes(const char *kernel, Py_ssize_t given, Py_ssize_t expected) {
    if (given != expected)
        PyErr_Format(PyExc_TypeError, "%s takes %zd arguments, not %zd", kernel, expected, given);
    return given == expected;
}

static int open_all(Buffers *buffers, PyObject *const *objects, int count, int how) {
    for (int i = 0; i < count; i++, buffers->count++)
        if (PyObject_GetBuffer(objects[i], &buffers->views[buffers->count], how)) {
            close_buffers(buffers);
            return -1;
        }
    return 0;
}

int open_buffers(Buffers *buffers, PyObject *const *objects, int count) {
    return open_all(buffers, objects, count, PyBUF_SIMPLE);
}

int open_arrays(Buffers *buffers, PyObject *const *objects, int count) {
    return open_all(buffers, objects, count, PyBUF_WRITABLE);
}

void close_buffers(Buffers *buffers) {
    while (buffers->count)
        PyBuffer_Release(&buffers->views[--buffers->count]);
}

unsigned number_of(PyObject *argument) {
    const unsigned long number = PyLong_AsUnsignedLong(argument);
    if (number > UINT32_MAX && !PyErr_Occurred())
        PyErr_SetString(PyExc_OverflowError, "a number must be below 2^32");
    return (unsigned)number;
}

int open_cells(Buffers *buffers, PyObject *tuple, Cells *cells) {
    const Py_buffer *views = buffers->views + buffers->count;
    if (!PyTuple_Check(tuple) || PyTuple_GET_SIZE(tuple) != 6) {
        PyErr_SetString(PyExc_TypeError, "buckets are a tuple of five arrays and a number");
        close_buffers(buffers);
        return -1;
    }
    if (open_arrays(buffers, &PyTuple_GET_ITEM(tuple, 0), 5))
        return -1;
    *cells = (Cells){
        .sizes = views[0].buf,
        .starts = views[1].buf,
        .pages = views[2].buf,
        .rows = views[3].buf,
        .tags = views[4].len ? views[4].buf : NULL,
        .slot_bits = number_of(PyTuple_GET_ITEM(tuple, 5)),
    };
    if (!PyErr_Occurred() && cells->slot_bits < 32)
        return 0;
    if (!PyErr_Occurred())
        PyErr_SetString(PyExc_ValueError, "a page has at most 2^31 entries");
    close_buffers(buffers);
    return -1;
}

int found_reserve(Found *found, size_t more) {
    if (found->count + more <= found->room)
        return 0;
    size_t room = 2 * (found->count + more) + 64;
    uint64_t *items = PyMem_Realloc(found->items, room * sizeof *items);
    if (!items) {
        PyErr_NoMemory();
        return -1;
    }
    found->items = items;
    found->room = room;
    return 0;
}

PyObject *found_take(Found *found) {
    PyObject *taken = NULL;
    if (!PyErr_Occurred())
        taken = PyByteArray_FromStringAndSize((const char *)found->items,
                                              (Py_ssize_t)(found->count * sizeof *found->items));
    PyMem_Free(found->items);
    return taken;
}

int open_text(PyObject *string, PyObject *table, Text *text) {
    if (!PyUnicode_Check(string)) {
        PyErr_SetString(PyExc_TypeError, "a text must be a str");
        return -1;
    }
    if (PyUnicode_GET_LENGTH(string) > PY_SSIZE_T_MAX / 16) {
        PyErr_NoMemory();
        return -1;
    }
    if (table && (!PyBytes_Check(table) || PyBytes_GET_SIZE(table) != TABLE_SIZE)) {
        PyErr_Format(PyExc_TypeError, "the table of classes must be %d bytes", TABLE_SIZE);
        return -1;
    }
    *text = (Text){
        .kind = (int)PyUnicode_KIND(string),
        .length = PyUnicode_GET_LENGTH(string),
        .codes = PyUnicode_DATA(string),
        .classes = table ? (const uint8_t *)PyBytes_AS_STRING(table) : NULL,
    };
    return 0;
}

#define KERNEL(name, function) {name, (PyCFunction)(void (*)(void))(function), METH_FASTCALL, NULL}

static PyMethodDef kernels[] = {
    KERNEL("find_rows", find_rows),
    KERNEL("keep_likely_rows", keep_likely_rows),
    KERNEL("insert_entries", insert_entries),
    KERNEL("place_entries", place_entries),
    KERNEL("near_fingerprints", near_fingerprints),
    KERNEL("fold_spaces", fold_spaces),
    KERNEL("cut_by_script", cut_by_script),
    KERNEL("fingerprint_words", fingerprint_words),
    KERNEL("shingle_hashes", shingle_hashes),
    KERNEL("make_sketch", make_sketch),
    KERNEL("keep_new_lines", keep_new_lines),
    KERNEL("note_lines", note_lines),
    {NULL, NULL, 0, NULL},
};

static int add_version(PyObject *module) {
    return PyModule_AddIntConstant(module, "VERSION", KERNELS_VERSION);
}

/* No kernel keeps anything between calls, so neither threads without a common lock (PEP 703) nor
 * several interpreters (PEP 684) meet in one. Arrays that are given are the callers' to guard. */
static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, add_version},
#ifdef Py_mod_multiple_interpreters
    {Py_mod_multiple_interpreters, Py_MOD_PER_INTERPRETER_GIL_SUPPORTED},
#endif
#ifdef Py_mod_gil
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
    {0, NULL},
};

static struct PyModuleDef definition = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "_compiled",
    .m_methods = kernels,
    .m_slots = slots,
};

PyMODINIT_FUNC PyInit__compiled(void) { return PyModuleDef_Init(&definition); }
