// What the targets that read models share. A failure is an abort, which the
// fuzzer reports with its input.
#pragma once

#include "reg/context.h"

// A context that counts errors, each of which must have a place, and aborts at
// a bug. `plugin` may be NULL. One serves all inputs: it is immutable once a
// module was read.
tenon_context *fuzz_context(const struct tenon_plugin *plugin);

// Reads `size` bytes as a model: a module that prints, or one error.
void fuzz_read(tenon_context *cx, const void *data, size_t size);
