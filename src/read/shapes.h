// read/shapes.h - fixing sizes that a file leaves open: `--shape`, `--batch`.
//
// A size of the file that is a number stays that number; asking for another is
// an error. What depended on a size that is fixed here may still be declared as
// it was; tenon_infer_module is told to believe the rules then.
#ifndef TENON_READ_SHAPES_H
#define TENON_READ_SHAPES_H

#include "base/text.h"
#include "ir/graph.h"

// What a text of options->shapes asks for.
typedef struct tenon_shape_request {
  const char *text;
  tenon_text name;
  int64_t sizes[TENON_MAX_RANK];
  int n;
  bool is_bound;  // at most these sizes
} tenon_shape_request;
// `file` is of whatever has the inputs, for places.
tenon_status tenon_shape_request_parse(const tenon_report *report,
                                       const char *file, const char *text,
                                       tenon_shape_request *out);

// Each text of options->shapes is "input=1x3x224x224" or "symbol=7", with "<="
// behind the "=" a bound for what is open ("symbol=<=64"); `batch`
// fixes the first size of every input where it is open. *is_reshaped: whether
// anything was fixed.
tenon_status tenon_shapes_apply(tenon_module *m,
                                const tenon_read_options *options,
                                bool *is_reshaped);

#endif  // TENON_READ_SHAPES_H
