// How: the arguments of a call are looked up by name in each overload; those
// that none of its names fit are the tensors to write. The operator's schema is
// put together as text and parsed, so that nothing has to be kept in step with
// the parser; the marks that join an argument to its result are longer than any
// that the functional schema has.
#include "ir/out_variant.h"

#include <string.h>

#include "base/buf.h"
#include "base/text.h"

// ---------------------------------------------------------------------------
// Names
// ---------------------------------------------------------------------------

static bool is_overload_of(const tenon_op *op, const char *name) {
  const char *dot = strrchr(name, '.');
  size_t base = dot ? (size_t)(dot - name) : strlen(name);
  return strncmp(op->name, name, base) == 0 &&
         (op->name[base] == 0 || op->name[base] == '.');
}

// "ns::name.out" is that of "ns::name", "ns::name.x_out" of "ns::name.x".
static bool has_name_of(const char *name, const tenon_op *op) {
  const char *overload = op->schema->overload;
  const char *dot = strrchr(name, '.');
  size_t n = strlen(overload);
  if (!dot) return false;
  if (n == 0) return strcmp(dot, ".out") == 0;
  return strncmp(dot + 1, overload, n) == 0 && strcmp(dot + 1 + n, "_out") == 0;
}

// torch's names: of an overload, of an argument.
static bool has_name_of_out(const char *name) {
  const char *dot = strrchr(name, '.');
  return dot && (strcmp(dot, ".out") == 0 || tenon_text_ends(dot, "_out"));
}

static bool is_called_out(const char *name) {
  if (strncmp(name, "out", 3) != 0) return false;
  return name[3 + strspn(name + 3, "0123456789")] == 0;
}

// ---------------------------------------------------------------------------
// Matching
// ---------------------------------------------------------------------------

// An operator that writes nothing and gives only tensors, each with a value of
// its own.
static bool is_functional(const tenon_op *op) {
  const tenon_schema *s = op->schema;
  if (s->n_returns == 0 || s->n_returns > TENON_MOST_OUTS) return false;
  int n_lists = 0;
  for (uint16_t i = 0; i < s->n_returns; ++i) {
    const tenon_argument *r = &s->returns[i];
    if (r->base != TENON_BASE_TENSOR || r->alias || r->is_optional ||
        r->has_optional_elements)
      return false;
    n_lists += r->is_list;
  }
  for (uint16_t i = 0; i < s->n_args; ++i)
    if (s->args[i].is_written) return false;
  return n_lists <= 1;
}

static bool is_given(const tenon_out_call *call, const char *name) {
  for (uint32_t i = 0; i < call->n_args; ++i)
    if (strcmp(call->args[i].name, name) == 0) return true;
  return false;
}

static bool takes(const tenon_argument *a, const tenon_out_arg *given) {
  if (given->is_list) return a->base == TENON_BASE_TENSOR && a->is_list;
  if (given->is_tensor) return a->base == TENON_BASE_TENSOR && !a->is_list;
  return true;  // a number or None; whether it fits the reader says
}

// Argument `at` is written, and is result `i`.
static bool take_out(const tenon_schema *s, const tenon_out_call *call,
                     uint32_t at, uint32_t i, tenon_out_match *out) {
  const tenon_out_arg *a = &call->args[at];
  if (i >= s->n_returns || !(a->is_tensor || a->is_list) ||
      a->is_list != s->returns[i].is_list ||
      !tenon_text_is_identifier(tenon_text_of(a->name)))
    return false;
  out->outs[i] = (uint16_t)at;
  return true;
}

// All arguments of the call but the outs are those of `op`.
static bool fits(const tenon_op *op, const tenon_out_call *call,
                 tenon_out_match *out) {
  const tenon_schema *s = op->schema;
  uint32_t n_outs = 0;
  for (uint32_t i = 0; i < call->n_args; ++i) {
    const tenon_out_arg *a = &call->args[i];
    const tenon_argument *known = tenon_schema_find(s, a->name);
    if (call->says_written && a->is_written == (known != NULL)) return false;
    if (known ? !takes(known, a) : !take_out(s, call, i, n_outs++, out))
      return false;
  }
  for (uint16_t i = 0; i < s->n_args; ++i)
    if (!s->args[i].has_default && !is_given(call, s->args[i].name))
      return false;
  bool is_plain = call->n_returns == 0 || call->n_returns == s->n_returns;
  return n_outs == s->n_returns && is_plain;
}

// Whether what the call adds is written: nothing else, or torch's own names,
// tell a tensor that is overwritten from one that is read.
static bool is_out(const tenon_op *op, const tenon_out_call *call,
                   const tenon_out_match *match) {
  if (call->says_written || call->n_returns == 0 || has_name_of_out(call->name))
    return true;
  for (uint32_t i = 0; i < op->schema->n_returns; ++i)
    if (!is_called_out(call->args[match->outs[i]].name)) return false;
  return true;
}

// An argument that another overload reads may be one that this one reads, too.
static bool is_read_elsewhere(const tenon_op *op, const tenon_out_call *call,
                              const tenon_out_match *match,
                              const tenon_op *other) {
  if (call->says_written || has_name_of(call->name, op)) return false;
  for (uint32_t i = 0; i < op->schema->n_returns; ++i)
    if (tenon_schema_find(other->schema, call->args[match->outs[i]].name))
      return true;
  return false;
}

// Outs that are called like results, but like others than their own.
static bool is_crossed(const tenon_op *op, const tenon_out_call *call,
                       const tenon_out_match *match) {
  const tenon_schema *s = op->schema;
  for (uint32_t i = 0; i < s->n_returns; ++i)
    for (uint32_t k = 0; k < s->n_returns; ++k) {
      const char *name = call->args[match->outs[i]].name;
      if (i != k && strcmp(s->returns[k].name, name) == 0) return true;
    }
  return false;
}

static void try_one(const tenon_op *op, const tenon_out_call *call,
                    tenon_out_match *best) {
  tenon_out_match m;
  memset(&m, 0, sizeof m);
  m.functional = op;
  if (!op || op == best->functional || !op->desc ||
      !is_overload_of(op, call->name) || strcmp(op->name, call->name) == 0 ||
      !is_functional(op) || !fits(op, call, &m) || !is_out(op, call, &m))
    return;
  m.is_crossed = is_crossed(op, call, &m);
  if (!best->functional || (has_name_of(call->name, op) &&
                            !has_name_of(call->name, best->functional)))
    *best = m;
  else if (!has_name_of(call->name, best->functional))
    best->other = op;
}

void tenon_out_variant_find(const tenon_context *cx, const tenon_out_call *call,
                            tenon_out_match *out) {
  const tenon_op *const *ops = NULL;
  const char *dot = strrchr(call->name, '.');
  size_t size = dot ? (size_t)(dot - call->name) : 0;
  char name[512];
  memset(out, 0, sizeof *out);
  if (!dot || strlen(call->name) >= sizeof name) return;
  size_t n = tenon_registry_ops(cx, &ops);
  for (size_t i = 0; i < n; ++i)
    try_one(ops[i], call, out);
  // Those of catalogs, by torch's names.
  memcpy(name, call->name, size);
  name[size] = 0;
  try_one(tenon_registry_find_op(cx, name), call, out);
  size = strlen(call->name);
  memcpy(name, call->name, size + 1);
  if (size > 4 && strcmp(name + size - 4, "_out") == 0) {
    name[size - 4] = 0;
    try_one(tenon_registry_find_op(cx, name), call, out);
  }
  const tenon_op *op = out->functional;
  for (size_t i = 0; op && i < n; ++i)
    if (ops[i] != op && ops[i]->schema && is_overload_of(ops[i], call->name) &&
        is_functional(ops[i]) && is_read_elsewhere(op, call, out, ops[i]))
      out->other = ops[i];
}

// ---------------------------------------------------------------------------
// The lowering
// ---------------------------------------------------------------------------

static bool is_same_type(const tenon_type *was, const tenon_type *is) {
  if (was->dtype != is->dtype || was->rank != is->rank) return false;
  for (int k = 0; k < was->rank; ++k) {
    bool is_known =
        tenon_dim_is_fixed(was->dims[k]) && tenon_dim_is_fixed(is->dims[k]);
    if (is_known && was->dims[k].value != is->dims[k].value) return false;
  }
  return true;
}

static tenon_status other_type(tenon_rewriter *rw, const tenon_node *n, int i,
                               const tenon_type *was, const tenon_type *is) {
  const tenon_op *op = (const tenon_op *)rw->api->user(rw);
  const tenon_module *m = n->graph->module;
  tenon_buf a, b;
  tenon_buf_init(&a, m->arena.allocator);
  tenon_buf_init(&b, m->arena.allocator);
  tenon_type_print(was, &m->symbols, &a);
  tenon_type_print(is, &m->symbols, &b);
  tenon_status status = rw->api->fail(
      rw, "result %d is %s by '%s', and would be written to a tensor of %s", i,
      b.data ? b.data : "?", op->name, a.data ? a.data : "?");
  tenon_buf_deinit(&a);
  tenon_buf_deinit(&b);
  return status;
}

// Index among the tensor arguments.
static int find_tensor(const tenon_schema *s, const char *name) {
  for (int i = 0; i < s->n_tensors; ++i)
    if (strcmp(tenon_schema_tensor(s, i)->name, name) == 0) return i;
  return -1;
}

// The functional operator with what it is given here, but for the outs.
static tenon_status lower(tenon_rewriter *rw, const tenon_node *n) {
  const tenon_op *op = (const tenon_op *)rw->api->user(rw);
  const tenon_schema *s = op->schema;
  tenon_module *m = n->graph->module;
  bool has_rule = op->desc->infer || op->desc->lower || op->n_lowerings > 0;
  bool has_types = !has_rule;
  uint32_t n_in = 0, n_out = n->n_out;
  uint16_t *groups =
      tenon_arena_array(&m->arena, uint16_t, (size_t)s->n_tensors + 1);
  tenon_value **in = tenon_arena_array(&m->arena, tenon_value *, n->n_in);
  tenon_value **out = tenon_arena_array(&m->arena, tenon_value *, n_out);
  const tenon_type **types =
      tenon_arena_array(&m->arena, const tenon_type *, n_out);
  if (!groups || !in || !out || !types)
    return tenon_rw_fail(rw, "memory ran out");
  groups[0] = 0;
  for (int i = 0; i < s->n_tensors; ++i) {
    int at = find_tensor(n->op->schema, tenon_schema_tensor(s, i)->name);
    int first = 0, count = at < 0 ? 0 : rw->api->group(rw, n, at, &first);
    for (int k = 0; k < count; ++k)
      in[n_in++] = rw->api->operand(rw, n, first + k);
    groups[i + 1] = (uint16_t)n_in;
  }
  // The file says what the results are like, where the operator has no rule.
  for (uint32_t i = 0; i < n_out; ++i) {
    types[i] = rw->api->result(rw, n, (int)i);
    has_types &= types[i] != NULL;
  }
  tenon_build b = {.struct_size = sizeof b,
                   .types = has_types ? types : NULL,
                   .n_in = n_in,
                   .n_out = n_out,
                   .op = op->name,
                   .args = rw->api->args(rw, n),
                   .in = in,
                   .in_group = groups,
                   .out = out};
  (void)rw->api->build(rw, &b);
  for (uint32_t i = 0; i < n_out; ++i)
    if (types[i] && !out[i]->has_failed &&
        !is_same_type(types[i], &out[i]->type))
      return other_type(rw, n, (int)i, types[i], &out[i]->type);
  return rw->api->replace(rw, n, out, (int)n_out);
}

// ---------------------------------------------------------------------------
// The operator
// ---------------------------------------------------------------------------

// "ns::name.out(ARGS, *, Tensor(out0!) out) -> Tensor(out0!)".
static void write_schema(tenon_buf *b, const tenon_out_call *call,
                         const tenon_out_match *match) {
  const tenon_schema *s = match->functional->schema;
  const char *text = match->functional->desc->schema;
  const char *open = strchr(text, '('), *arrow = strstr(text, "->");
  const char *close = arrow;
  bool has_star = false, is_alone = call->n_returns == 1;
  // Names have no parentheses, and the last one before the arrow ends the list.
  while (close > open && *close != ')')
    --close;
  for (uint16_t i = 0; i < s->n_args; ++i)
    has_star |= s->args[i].is_keyword_only;
  tenon_buf_format(b, "%s%.*s", call->name, (int)(close - open), open);
  for (uint16_t i = 0; i < s->n_returns; ++i)
    tenon_buf_format(b, "%s%sTensor(out%u!)%s %s", i || s->n_args ? ", " : "",
                     i || has_star ? "" : "*, ", (unsigned)i,
                     s->returns[i].is_list ? "[]" : "",
                     call->args[match->outs[i]].name);
  tenon_buf_text(b, is_alone ? ") -> " : ") -> (");
  for (uint32_t i = 0; i < call->n_returns; ++i)
    tenon_buf_format(b, "%sTensor(out%u!)%s", i ? ", " : "", (unsigned)i,
                     s->returns[i].is_list ? "[]" : "");
  if (!is_alone) tenon_buf_char(b, ')');
}

static bool fill(tenon_module *m, const char *text, const tenon_op *functional,
                 tenon_op *op) {
  char error[256];
  size_t at = 0;
  tenon_schema *schema = NULL;
  // Of hostile names there is none: then nobody describes the operator.
  if (!tenon_schema_parse(&m->arena, text, &schema, error, sizeof error, &at))
    return !m->arena.failed;
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
  const tenon_op_desc *own =
      tenon_arena_copy(&m->arena, &desc, sizeof desc, _Alignof(tenon_op_desc));
  if (!lowering_desc || !lowering || !list || !own) return false;
  lowering->desc = lowering_desc;
  lowering->owner = functional->owner;
  list[0] = lowering;
  op->desc = own;
  op->schema = schema;
  op->owner = functional->owner;
  op->lowerings = list;
  op->n_lowerings = 1;
  return true;
}

// A text of the module brings the schema back, when it is read.
static bool keep_schema(tenon_module *m, const tenon_op *op) {
  tenon_metadata item = {NULL, op->desc->schema, strlen(op->desc->schema)};
  tenon_buf key;
  bool is_there = false;
  tenon_buf_init(&key, m->arena.allocator);
  tenon_buf_format(&key, TENON_SCHEMA_KEY "%s", op->name);
  for (size_t i = 0; !key.failed && i < m->metadata.count; ++i)
    is_there |= strcmp(m->metadata.data[i].key, key.data) == 0;
  item.key = key.failed ? NULL : tenon_arena_string(&m->arena, key.data);
  tenon_buf_deinit(&key);
  return item.key && (is_there || tenon_vec_push(&m->metadata, item));
}

static const tenon_op *make(tenon_module *m, const char *name, const char *text,
                            const tenon_op *functional) {
  // Of a module of its own, where it may be described: nothing else knows it.
  tenon_op *op = (tenon_op *)(uintptr_t)tenon_module_unknown_op(m, name);
  if (!op || op->desc) return op;
  if (text && fill(m, text, functional, op) &&
      (!op->desc || keep_schema(m, op)))
    return op;
  (void)tenon_fail_memory(&m->report, "adding an operator");
  return NULL;
}

const tenon_op *tenon_out_variant_make(tenon_module *m,
                                       const tenon_out_call *call,
                                       const tenon_out_match *match) {
  tenon_buf b;
  tenon_buf_init(&b, m->arena.allocator);
  write_schema(&b, call, match);
  const char *text =
      b.failed ? NULL : tenon_arena_text(&m->arena, b.data, b.size);
  tenon_buf_deinit(&b);
  return make(m, call->name, text, match->functional);
}

tenon_status tenon_out_variant_of_schema(tenon_module *m, const tenon_schema *s,
                                         const char *text,
                                         const tenon_op **out) {
  tenon_out_call call = {.name = s->name,
                         .n_args = s->n_args,
                         .n_returns = s->n_returns,
                         .says_written = true};
  tenon_out_match match;
  tenon_out_arg *args = tenon_arena_array(&m->arena, tenon_out_arg, s->n_args);
  *out = NULL;
  if (!args) return tenon_fail_memory(&m->report, "adding an operator");
  for (uint16_t i = 0; i < s->n_args; ++i) {
    const tenon_argument *a = &s->args[i];
    bool is_tensor =
        a->base == TENON_BASE_TENSOR &&
        !(a->is_written && (a->is_optional || a->has_optional_elements));
    args[i] = (tenon_out_arg){a->name, is_tensor && !a->is_list,
                              is_tensor && a->is_list, a->is_written};
  }
  call.args = args;
  tenon_out_variant_find(m->cx, &call, &match);
  if (!match.functional || match.other || match.is_crossed) return TENON_OK;
  for (uint16_t i = 0; i < s->n_returns; ++i) {
    const tenon_argument *a =
        tenon_schema_tensor(s, tenon_schema_return_of(s, i));
    if (a != &s->args[match.outs[i]]) return TENON_OK;
  }
  text = tenon_arena_string(&m->arena, text);
  *out = make(m, s->name, text, match.functional);
  return *out ? TENON_OK : TENON_NO_MEMORY;
}
