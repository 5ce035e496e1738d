/* The module: its table of kernels, and how they read arguments and return results. */
#include "text.h"

#include <string.h>

int open_buffers(PyObject *const *objects, int count, int writable, Buffers *buffers) {
    buffers->count = 0;
    for (; buffers->count < count; buffers->count++) {
        int flags = writable ? PyBUF_WRITABLE : PyBUF_SIMPLE;
        if (PyObject_GetBuffer(objects[buffers->count], &buffers->views[buffers->count], flags)) {
            close_buffers(buffers);
            return -1;
        }
    }
    return 0;
}

void close_buffers(Buffers *buffers) {
    while (buffers->count)
        PyBuffer_Release(&buffers->views[--buffers->count]);
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
    KERNEL("near_fingerprints", near_fingerprints),
    KERNEL("scan_fingerprints", scan_fingerprints),
    KERNEL("fold_spaces", fold_spaces),
    KERNEL("cut_by_script", cut_by_script),
    KERNEL("stop_table", stop_table),
    KERNEL("fingerprint_words", fingerprint_words),
    KERNEL("shingle_hashes", shingle_hashes),
    KERNEL("make_sketch", make_sketch),
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_kernels", NULL, 0, kernels, NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__kernels(void) { return PyModuleDef_Init(&definition); }
