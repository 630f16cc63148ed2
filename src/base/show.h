// base/show.h - which characters of a text may be printed as they are.
//
// Names out of a file are hostile: they may move a cursor, end a line of a
// report, or turn the direction of what stands behind them. Whoever prints one
// asks here, or calls what does: tenon_text_show and tenon_text_json
// (tenon/diag.h), tenon_buf_shown and the quotes of base/buf.h, base/label.h.
#ifndef TENON_BASE_SHOW_H
#define TENON_BASE_SHOW_H

#include "tenon/diag.h"

// Bytes of the character at `data` (size above 0) if it may be printed, else 0:
// what is no UTF-8; control characters; separators of lines; what turns the
// direction of text or is not seen.
size_t tenon_text_shown(const char *data, size_t size);

#endif  // TENON_BASE_SHOW_H
