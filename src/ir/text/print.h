// ir/text/print.h - the text form of a module; the grammar is in docs/ir.md.
//
// print(parse(x)) == x for every text that print has written, places included.
#ifndef TENON_IR_PRINT_H
#define TENON_IR_PRINT_H

#include "ir/graph.h"

// Bytes of constants that the text of a module may call zeros without having
// them. Beyond, they are written out.
#define TENON_TEXT_ZEROS ((size_t)1 << 26)

enum {
  TENON_PRINT_ELIDE = 1u << 0,  // large constants as "..." : not readable again
  TENON_PRINT_NO_PLACES = 1u << 1
};
tenon_status tenon_print_module(const tenon_module *m, uint32_t flags,
                                tenon_write_fn *write, void *self);

// Whether the bytes look like text IR.
bool tenon_parse_recognise(const void *data, size_t size);
tenon_status tenon_parse_module(tenon_context *cx, const void *data,
                                size_t size, const char *name,
                                tenon_module **out);

#endif  // TENON_IR_PRINT_H
