// How: an operator that nobody describes and whose overload is one of an out
// variant is looked up without it. What the functional schema does not name are
// the tensors to write, in the order of the file.
#include "ir/out_variant.h"
#include "read/pt2/pt2_import.h"

#define MAX_OUTS 16

tenon_status tenon_pt2_out_variant(tenon_pt2_node *n) {
  tenon_pt2 *im = n->scope->im;
  const char *outs[MAX_OUTS];
  size_t n_outs = 0;
  if (n->op->desc) return TENON_OK;
  const tenon_op *functional = tenon_out_variant_of(im->cx, n->op->name);
  if (!functional) return TENON_OK;
  TENON_TRY(tenon_json_array(&n->inputs));
  for (size_t i = 0; i < tenon_json_count(&n->inputs); ++i) {
    const char *name = NULL;
    tenon_json input = tenon_json_item(&n->inputs, i);
    tenon_json at = tenon_json_get(&input, "name");
    TENON_TRY(tenon_json_text(&at, &name));
    if (tenon_schema_find(functional->schema, name)) continue;
    if (n_outs < MAX_OUTS) outs[n_outs] = name;
    ++n_outs;
  }
  if (n_outs != functional->schema->n_returns) return TENON_OK;
  n->op = tenon_out_variant_make(im->m, n->op->name, functional, outs);
  return n->op ? TENON_OK : tenon_pt2_memory(im);
}
