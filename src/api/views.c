// How: text IR is printed by ir/text/print.h, JSON by ir/text/print_json.h, and
// pictures by api/picture.h.
#include "api/picture.h"
#include "ir/text/print.h"
#include "ir/text/print_json.h"

tenon_status tenon_module_print(const tenon_module *m, uint32_t format,
                                tenon_write_fn *write, void *self) {
  if (format == TENON_FORMAT_TEXT) return tenon_print_module(m, 0, write, self);
  if (format == TENON_FORMAT_JSON || format == TENON_FORMAT_OUTLINE)
    return tenon_print_json(m, format == TENON_FORMAT_JSON, write, self);
  if (format == TENON_FORMAT_DOT || format == TENON_FORMAT_MERMAID)
    return tenon_picture_print(m, format == TENON_FORMAT_DOT, write, self);
  return tenon_fail(&m->report, TENON_BAD_ARGUMENT, "print-format", NULL,
                    "a module is printed as text, JSON, DOT or Mermaid");
}
