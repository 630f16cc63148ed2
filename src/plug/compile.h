// plug/compile.h - from a C source to an image that can be opened.
//
// The compiler is run without a shell, sees the public headers of this very
// library, and works in the cache folder of the context. An image is named for
// a hash of everything that went into it, so a file that has not changed is
// compiled once, whoever asks; nothing is ever compiled in place.
#ifndef TENON_PLUG_COMPILE_H
#define TENON_PLUG_COMPILE_H

#include "base/buf.h"
#include "base/text.h"
#include "reg/context.h"

typedef struct tenon_plug_unit {
  const char *path;  // the file that is told of, beside which includes lie
  const char *text;  // its content, or what was made from it
  bool is_made;      // the text is no file yet
  // Of what is made; each ends with null, or is null.
  const char *const *folders;    // more places of what is included
  const char *const *headers;    // files that the text includes from these
  const char *const *libraries;  // linked: libraries and object files
  tenon_buf *errors;  // of what is made: receives what the compiler says when
                      // it refuses, which is then not reported
} tenon_plug_unit;

// On success `image` holds the path of the image.
tenon_status tenon_plug_compile(tenon_context *cx, const tenon_plug_unit *unit,
                                tenon_buf *image);

// The line of a compiler's output that tells most.
tenon_text tenon_plug_first_error(const char *text);

#endif  // TENON_PLUG_COMPILE_H
