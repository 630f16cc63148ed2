// tenon/diag.h - what went wrong, and where in the model.
#ifndef TENON_DIAG_H
#define TENON_DIAG_H

#include "tenon/base.h"

// A place in a model file. Everything is text, so that a reader for a new
// format needs no new kind of place.
typedef struct tenon_place {
  const char *file;    // "kws.tflite"
  const char *where;   // "subgraph 0, op 17 (AcmeGain)", "node linear_3"
  const char *origin;  // "net.py:42, in forward"; null if the file is silent
  uint64_t offset;     // bytes of the file concerned; size 0: unknown
  uint64_t size;
} tenon_place;

typedef enum tenon_severity {
  TENON_NOTE,
  TENON_WARNING,
  TENON_ERROR
} tenon_severity;

typedef struct tenon_diag {
  uint32_t struct_size;
  uint32_t severity;  // tenon_severity; enums differ in size between compilers
  const char *id;     // "tflite-options": stable, see docs/errors.md
  const char *message;  // one line, lower case, no full stop, 'names' quoted
  const tenon_place *place;
  const struct tenon_diag *next_note;  // notes that belong to this one
} tenon_diag;

// Called synchronously; nothing in `diag` outlives the call.
typedef struct tenon_diag_sink {
  void *self;
  void (*report)(void *self, const tenon_diag *diag);
} tenon_diag_sink;

// Names and other texts of a model are hostile, and come as they are in its
// file. These write one so that it can be printed: UTF-8 without control
// characters, separators of lines, and what turns or hides text. Elsewhere it
// is unchanged. `tenon_text_show` has `\x1b` for each byte of what may not be
// printed; `tenon_text_json` what stands between the quotes of a string of
// JSON:
// `\n`, `\u202e`, and U+FFFD for each byte that is no UTF-8. Both write at most
// size - 1 bytes and a zero, whole characters and escapes only (size 0: `to`
// may be null), and return the bytes of the whole without the zero. They cannot
// fail; any thread may call them.
TENON_API size_t tenon_text_show(char *to, size_t size, const char *text);
TENON_API size_t tenon_text_json(char *to, size_t size, const char *text);

#endif  // TENON_DIAG_H
