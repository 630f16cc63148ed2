// plug/compile.h - from a C source to an image that can be opened.
//
// The compiler is run without a shell, sees the public headers of this very
// library, and works in the cache folder of the context. An image is named for
// a hash of everything that went into it, so a file that has not changed is
// compiled once, whoever asks; nothing is ever compiled in place.
#ifndef TENON_PLUG_COMPILE_H
#define TENON_PLUG_COMPILE_H

#include "base/buf.h"
#include "reg/context.h"

// `text` is the content of the file at `path`. On success `image` holds the
// path of the image.
tenon_status tenon_plug_compile(tenon_context *cx, const char *path,
                                const char *text, tenon_buf *image);

#endif  // TENON_PLUG_COMPILE_H
