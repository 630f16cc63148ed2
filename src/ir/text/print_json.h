// ir/text/print_json.h - a module as JSON; docs/json.md is the schema.
#ifndef TENON_IR_PRINT_JSON_H
#define TENON_IR_PRINT_JSON_H

#include "ir/graph.h"

// Without `has_data` not the values of constants and states; what is printed so
// cannot be read again.
tenon_status tenon_print_json(const tenon_module *m, bool has_data,
                              tenon_write_fn *write, void *self);

#endif  // TENON_IR_PRINT_JSON_H
