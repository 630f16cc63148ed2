// emit/text/clash.h - names that the texts of two plugins both define, or a
// text and what is emitted around it.
#ifndef TENON_EMIT_CLASH_H
#define TENON_EMIT_CLASH_H

#include "emit/emission.h"

// A text within the texts of an emission.
typedef struct tenon_emit_piece {
  size_t begin, head, end;  // what it says of itself ends at `head`
  const char *name;         // of the text
  const char *owner;        // plugin; "": the public headers, which all may use
  bool is_public;           // these headers
} tenon_emit_piece;

// One error per name, a bounded number of them.
tenon_status tenon_emit_check_clashes(tenon_emission *e,
                                      const tenon_emit_piece *pieces, size_t n);

#endif  // TENON_EMIT_CLASH_H
