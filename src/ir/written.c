// How: one look at the schema per question; nothing is kept, so nothing can go
// stale when nodes are replaced.
#include "ir/written.h"

#include <string.h>

// The flat index of the declared result that carries the mark of tensor
// argument `t`, or false.
static bool find_marked(const tenon_node *n, int t, uint32_t *result) {
  const tenon_schema *s = n->op->schema;
  for (int r = 0; r < s->n_returns; ++r)
    if (tenon_schema_return_of(s, r) == t) {
      *result = n->out_group ? n->out_group[r] : (uint32_t)r;
      return true;
    }
  return false;
}

bool tenon_written_pair(const tenon_node *n, uint32_t k, uint32_t *operand,
                        uint32_t *result) {
  if (!n->is_functional || !n->op || !n->op->schema) return false;
  const tenon_schema *s = n->op->schema;
  uint32_t seen = 0;
  uint32_t next = n->out_group ? n->out_group[s->n_returns] : s->n_returns;
  for (int t = 0; t < s->n_tensors; ++t) {
    if (!tenon_schema_tensor(s, t)->is_written) continue;
    uint32_t at = next;
    if (!find_marked(n, t, &at)) ++next;
    if (seen++ != k) continue;
    int first = 0;
    (void)tenon_node_group(n, t, &first);
    *operand = (uint32_t)first;
    *result = at;
    return at < n->n_out;
  }
  return false;
}

const tenon_node *tenon_written_state(const tenon_value *v) {
  while (v && v->kind == TENON_VALUE_RESULT) {
    const tenon_node *n = v->node;
    if (tenon_op_is(n->op, "core::state_read")) return n;
    uint32_t operand = 0, result = 0;
    const tenon_value *next = NULL;
    for (uint32_t k = 0; tenon_written_pair(n, k, &operand, &result); ++k)
      if (n->out[result] == v) next = n->in[operand].value;
    v = next;
  }
  return NULL;
}

const char *tenon_state_name(const tenon_node *n) {
  for (const tenon_arg *a = n->args; a && a->name; ++a)
    if (strcmp(a->name, "state") == 0) return a->as.s;
  return "";
}
