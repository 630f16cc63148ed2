// How: the schema is put together as text and parsed, so that nothing has to be
// kept in step with the parser; the marks that join an argument to its result
// are longer than any that the functional schema has.
#include "ir/out_variant.h"

#include <string.h>

#include "base/buf.h"

#define MAX_OUTS 16

// "ns::name.out" to "ns::name", "ns::name.x_out" to "ns::name.x".
static bool functional_name(const char *name, char *out, size_t size) {
  const char *dot = strrchr(name, '.');
  size_t length = strlen(name);
  if (!dot || length >= size) return false;
  memcpy(out, name, length + 1);
  if (strcmp(dot, ".out") == 0) {
    out[dot - name] = 0;
    return true;
  }
  if (strlen(dot) < 6 || strcmp(name + length - 4, "_out") != 0) return false;
  out[length - 4] = 0;
  return true;
}

const tenon_op *tenon_out_variant_of(const tenon_context *cx,
                                     const char *name) {
  char functional[512];
  if (!functional_name(name, functional, sizeof functional)) return NULL;
  const tenon_op *op = tenon_registry_find_op(cx, functional);
  if (!op || !op->desc) return NULL;
  const tenon_schema *s = op->schema;
  if (s->n_returns == 0 || s->n_returns > MAX_OUTS) return NULL;
  for (uint16_t i = 0; i < s->n_returns; ++i) {
    const tenon_argument *r = &s->returns[i];
    if (r->base != TENON_BASE_TENSOR || r->is_list || r->alias) return NULL;
  }
  for (uint16_t i = 0; i < s->n_args; ++i) {
    if (s->args[i].is_written) return NULL;
  }
  return op;
}

// The functional operator with what it is given here, but for the outs.
static tenon_status lower(tenon_rewriter *rw, const tenon_node *n) {
  const tenon_op *op = (const tenon_op *)rw->api->user(rw);
  const tenon_schema *s = op->schema;
  tenon_value *out[MAX_OUTS], **in = NULL;
  const tenon_type *types[MAX_OUTS];
  bool has_types = true;
  uint16_t *groups = NULL;
  tenon_module *m = n->graph->module;
  uint32_t n_in = 0;
  groups = tenon_arena_array(&m->arena, uint16_t, (size_t)s->n_tensors + 1);
  in = tenon_arena_array(&m->arena, tenon_value *, n->n_in);
  if (!groups || !in) return tenon_rw_fail(rw, "memory ran out");
  groups[0] = 0;
  for (int i = 0; i < s->n_tensors; ++i) {
    int first = 0, count = rw->api->group(rw, n, i, &first);
    for (int k = 0; k < count; ++k)
      in[n_in++] = rw->api->operand(rw, n, first + k);
    groups[i + 1] = (uint16_t)n_in;
  }
  // The file says what the results are like, where the operator has no rule.
  for (uint16_t i = 0; i < s->n_returns; ++i) {
    types[i] = rw->api->result(rw, n, i);
    has_types &= types[i] != NULL;
  }
  tenon_build b = {.struct_size = sizeof b,
                   .types = has_types ? types : NULL,
                   .n_in = n_in,
                   .n_out = s->n_returns,
                   .op = op->name,
                   .args = rw->api->args(rw, n),
                   .in = in,
                   .in_group = groups,
                   .out = out};
  (void)rw->api->build(rw, &b);
  return rw->api->replace(rw, n, out, s->n_returns);
}

// "ns::name.out(ARGS, *, Tensor(out0!) out) -> Tensor(out0!)".
static void write_schema(tenon_buf *b, const char *name, const tenon_op *op,
                         const char *const *outs) {
  const tenon_schema *s = op->schema;
  const char *text = op->desc->schema;
  const char *open = strchr(text, '('), *arrow = strstr(text, "->");
  const char *close = arrow;
  bool has_star = false;
  // Names have no parentheses, and the last one before the arrow ends the list.
  while (close > open && *close != ')')
    --close;
  for (uint16_t i = 0; i < s->n_args; ++i)
    has_star |= s->args[i].is_keyword_only;
  tenon_buf_format(b, "%s%.*s", name, (int)(close - open), open);
  for (uint16_t i = 0; i < s->n_returns; ++i)
    tenon_buf_format(b, "%s%sTensor(out%u!) %s", i || s->n_args ? ", " : "",
                     i || has_star ? "" : "*, ", (unsigned)i, outs[i]);
  tenon_buf_text(b, s->n_returns == 1 ? ") -> " : ") -> (");
  for (uint16_t i = 0; i < s->n_returns; ++i)
    tenon_buf_format(b, "%sTensor(out%u!)", i ? ", " : "", (unsigned)i);
  if (s->n_returns != 1) tenon_buf_char(b, ')');
}

static bool fill(tenon_module *m, const char *text, const tenon_op *functional,
                 tenon_op *op) {
  char error[256];
  size_t at = 0;
  tenon_schema *schema = NULL;
  if (!tenon_schema_parse(&m->arena, text, &schema, error, sizeof error, &at))
    return false;
  tenon_op_desc desc = {.struct_size = sizeof desc,
                        .flags = TENON_OP_PURE,
                        .schema = text,
                        .doc = functional->desc->doc,
                        .lower = lower,
                        .user = functional};
  tenon_lowering_desc how = {.struct_size = sizeof how,
                             .name = op->name,
                             .op = op->name,
                             .lower = lower,
                             .user = functional};
  const tenon_lowering_desc *lowering_desc = tenon_arena_copy(
      &m->arena, &how, sizeof how, _Alignof(tenon_lowering_desc));
  tenon_lowering *lowering = tenon_arena_new(&m->arena, tenon_lowering);
  const tenon_lowering **list =
      tenon_arena_array(&m->arena, const tenon_lowering *, 1);
  op->desc =
      tenon_arena_copy(&m->arena, &desc, sizeof desc, _Alignof(tenon_op_desc));
  if (!lowering_desc || !lowering || !list || !op->desc) return false;
  lowering->desc = lowering_desc;
  lowering->owner = functional->owner;
  list[0] = lowering;
  op->schema = schema;
  op->owner = functional->owner;
  op->lowerings = list;
  op->n_lowerings = 1;
  return true;
}

const tenon_op *tenon_out_variant_make(tenon_module *m, const char *name,
                                       const tenon_op *functional,
                                       const char *const *outs) {
  // Of a module of its own, where it may be described: nothing else knows it.
  tenon_op *op = (tenon_op *)(uintptr_t)tenon_module_unknown_op(m, name);
  if (!op || op->desc) return op;
  tenon_buf b;
  tenon_buf_init(&b, m->arena.allocator);
  write_schema(&b, op->name, functional, outs);
  const char *text =
      b.failed ? NULL : tenon_arena_text(&m->arena, b.data, b.size);
  tenon_buf_deinit(&b);
  if (text && fill(m, text, functional, op)) return op;
  (void)tenon_fail_memory(&m->report, "adding an operator");
  return NULL;
}
