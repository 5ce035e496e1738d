/* The module: its table of kernels, and how they read arguments and return results. */
#include "kernels.h"

#include <string.h>

int takes(const char *kernel, Py_ssize_t given, Py_ssize_t expected) {
    if (given != expected)
        PyErr_Format(PyExc_TypeError, "%s takes %zd arguments, not %zd", kernel, expected, given);
    return given == expected;
}

int open_buffers(PyObject *const *objects, int count, Buffers *buffers) {
    buffers->count = 0;
    for (; buffers->count < count; buffers->count++) {
        Py_buffer *view = &buffers->views[buffers->count];
        if (PyObject_GetBuffer(objects[buffers->count], view, PyBUF_SIMPLE)) {
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
    KERNEL("find_rows", find_rows),
    KERNEL("keep_likely_rows", keep_likely_rows),
    KERNEL("insert_entries", insert_entries),
    KERNEL("place_entries", place_entries),
    KERNEL("near_fingerprints", near_fingerprints),
    KERNEL("scan_fingerprints", scan_fingerprints),
    {NULL, NULL, 0, NULL},
};

static int add_version(PyObject *module) {
    return PyModule_AddIntConstant(module, "VERSION", KERNELS_VERSION);
}

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, add_version},
    {0, NULL},
};

static struct PyModuleDef definition = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "_kernels",
    .m_methods = kernels,
    .m_slots = slots,
};

PyMODINIT_FUNC PyInit__kernels(void) { return PyModuleDef_Init(&definition); }
