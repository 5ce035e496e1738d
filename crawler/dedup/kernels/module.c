/* The module: its table of kernels, and how they read arguments and return results. */
#include "kernels.h"

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

#define KERNEL(name, function) {name, (PyCFunction)(void (*)(void))(function), METH_FASTCALL, NULL}

static PyMethodDef kernels[] = {
    KERNEL("near_fingerprints", near_fingerprints),
    KERNEL("scan_fingerprints", scan_fingerprints),
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_kernels", NULL, 0, kernels, NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__kernels(void) { return PyModuleDef_Init(&definition); }
