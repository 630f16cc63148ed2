// ir/text/print_json.h - a module as JSON; docs/json.md is the schema.
#ifndef TENON_IR_PRINT_JSON_H
#define TENON_IR_PRINT_JSON_H

#include "ir/graph.h"

tenon_status tenon_print_json(const tenon_module *m, tenon_write_fn *write,
                              void *self);

#endif  // TENON_IR_PRINT_JSON_H
