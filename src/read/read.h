// read/read.h - recognising a format from its bytes and making a module of it.
//
// Readers only read: every operator is imported under its own name, known or
// not, with the types that the file states. They treat bytes as hostile:
// whatever a file holds ends in a module or in one error with place, within
// time and memory linear in the file.
#ifndef TENON_READ_READ_H
#define TENON_READ_READ_H

#include "ir/graph.h"

// Freezes the context, reads, applies `shapes` and `batch`, infers and
// verifies.
tenon_status tenon_read_module(tenon_context *cx, const void *data, size_t size,
                               const tenon_read_options *options,
                               tenon_module **out);

// The .tflite reader (read/tflite/tflite.c): import alone.
bool tenon_tflite_recognise(const void *data, size_t size);
tenon_status tenon_tflite_read(tenon_context *cx, const void *data, size_t size,
                               const tenon_read_options *options,
                               tenon_module **out);
// Of any module, behind inference: functions of a .tflite get the sizes of what
// operators pass them, and what operators pass to the functions they name, and
// get back, is of one type on both sides (one error with its place else).
// `is_reshaped` as in tenon_infer_module. In read/tflite/tflite_passed.c.
tenon_status tenon_tflite_check(tenon_module *m, bool is_reshaped);

// The .pt2 reader (read/pt2/pt2.c), likewise.
bool tenon_pt2_recognise(const void *data, size_t size);
tenon_status tenon_pt2_read(tenon_context *cx, const void *data, size_t size,
                            const tenon_read_options *options,
                            tenon_module **out);

// The reader of a plugin that takes the bytes for its format; *out null: none
// does. And what it makes of them, likewise. `options->name` is not null.
tenon_status tenon_plugin_recognise(const tenon_context *cx, const void *data,
                                    size_t size, const char *name,
                                    const tenon_extension **out);
tenon_status tenon_plugin_read(tenon_context *cx, const tenon_extension *reader,
                               const void *data, size_t size,
                               const tenon_read_options *options,
                               tenon_module **out);

// The JSON of a module (docs/json.md), likewise: what `tenon print` writes.
bool tenon_module_json_recognise(const void *data, size_t size);
tenon_status tenon_module_json_read(tenon_context *cx, const void *data,
                                    size_t size,
                                    const tenon_read_options *options,
                                    tenon_module **out);

#endif  // TENON_READ_READ_H
