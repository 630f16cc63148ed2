// api/picture.h - a module as DOT or Mermaid.
#ifndef TENON_API_PICTURE_H
#define TENON_API_PICTURE_H

#include "ir/graph.h"
#include "tenon/tenon.h"

tenon_status tenon_picture_print(const tenon_module *m, bool is_dot,
                                 tenon_write_fn *write, void *self);

#endif  // TENON_API_PICTURE_H
