// How: the arguments of a call are looked up by name in each overload; those
// that none of its names fit are the tensors to write. The operator's schema is
// put together as text and parsed, so that nothing has to be kept in step with
// the parser; the marks that join an argument to its result are longer than any
// that the functional schema has.
#include "ir/out_variant.h"

#include <string.h>

#include "base/buf.h"
#include "base/text.h"
#include "ir/written.h"

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

// An operator that gives only tensors, each with a value of its own. Where it
// writes a state, it is more than a schema.
static bool is_functional(const tenon_op *op) {
  const tenon_schema *s = op->schema;
  bool is_declared = (op->desc->flags & TENON_OP_DECLARED) != 0 &&
                     op->n_kernels == 0 && op->n_lowerings == 0;
  if (s->n_returns == 0 || s->n_returns > TENON_MOST_OUTS) return false;
  for (uint16_t i = 0; i < s->n_returns; ++i) {
    const tenon_argument *r = &s->returns[i];
    if (r->base != TENON_BASE_TENSOR || r->alias || r->has_optional_elements ||
        (r->is_optional && r->is_list))
      return false;
  }
  return s->n_written == 0 || !is_declared;
}

static bool out_variant_is_given(const tenon_out_call *call, const char *name) {
  for (uint32_t i = 0; i < call->n_args; ++i)
    if (strcmp(call->args[i].name, name) == 0) return true;
  return false;
}

static bool out_variant_takes(const tenon_argument *a,
                              const tenon_out_arg *given) {
  if (given->is_list) return a->base == TENON_BASE_TENSOR && a->is_list;
  if (given->is_tensor) return a->base == TENON_BASE_TENSOR && !a->is_list;
  return true;  // a number or None; whether it fits the reader says
}

// Which result has this name; n_returns: none.
static uint32_t find_result(const tenon_schema *s, const char *name) {
  uint32_t i = 0;
  while (i < s->n_returns && strcmp(s->returns[i].name, name) != 0)
    ++i;
  return i;
}

// Argument `at` is written, and is result `i`. None is, where a call that was
// made functional has it.
static bool out_variant_take_out(const tenon_schema *s,
                                 const tenon_out_call *call, uint32_t at,
                                 uint32_t i, tenon_out_match *out) {
  const tenon_out_arg *a = &call->args[at];
  bool is_absent = !a->is_tensor && !a->is_list;
  if (i >= s->n_returns || (is_absent && !call->says_written) ||
      a->is_list != s->returns[i].is_list ||
      !tenon_text_is_identifier(tenon_text_of(a->name)))
    return false;
  out->outs[i] = (uint16_t)at;
  return true;
}

// Whether a call that gives so many outs may leave out the others: torch's name
// says that it writes nothing, or the last results may be None and no other.
static bool lacks_the_last(const tenon_schema *s, const tenon_out_call *call,
                           uint32_t n_outs) {
  if (n_outs == 0) return !call->says_written && has_name_of_out(call->name);
  for (uint32_t i = 0; i < s->n_returns; ++i)
    if (s->returns[i].is_optional != (i >= n_outs)) return false;
  return true;
}

// All arguments of the call but the outs are those of `op`. Outs stand in the
// order of results; only a name, or what may be None, tells that one is left
// out.
static bool out_variant_fits(const tenon_op *op, const tenon_out_call *call,
                             tenon_out_match *out) {
  const tenon_schema *s = op->schema;
  uint32_t next = 0, n_outs = 0, n_named = 0;
  for (uint32_t i = 0; i < TENON_MOST_OUTS; ++i)
    out->outs[i] = TENON_NO_OUT;
  for (uint32_t i = 0; i < call->n_args; ++i)
    n_outs += !tenon_schema_find(s, call->args[i].name);
  for (uint32_t i = 0; i < call->n_args; ++i) {
    const tenon_out_arg *a = &call->args[i];
    const tenon_argument *known = tenon_schema_find(s, a->name);
    if (call->says_written && a->is_written != (!known || known->is_written))
      return false;
    if (known && !out_variant_takes(known, a)) return false;
    if (known) continue;
    uint32_t named = find_result(s, a->name);
    n_named += named < s->n_returns;
    if (n_outs < s->n_returns && named < s->n_returns && named > next)
      next = named;
    if (!out_variant_take_out(s, call, i, next, out)) return false;
    ++next;
  }
  for (uint16_t i = 0; i < s->n_args; ++i)
    if (!s->args[i].has_default && !out_variant_is_given(call, s->args[i].name))
      return false;
  bool is_plain = call->n_returns == 0 || call->n_returns == s->n_returns;
  bool may_lack = call->n_returns == 0 && ((n_outs > 0 && n_named == n_outs) ||
                                           lacks_the_last(s, call, n_outs));
  return (n_outs == s->n_returns || may_lack) && is_plain;
}

static const char *out_name(const tenon_out_call *call,
                            const tenon_out_match *match, uint32_t i) {
  return match->outs[i] == TENON_NO_OUT
             ? match->functional->schema->returns[i].name
             : call->args[match->outs[i]].name;
}

// Whether what the call adds is written: nothing else, or torch's own names,
// tell a tensor that is overwritten from one that is read.
static bool out_variant_is_out(const tenon_op *op, const tenon_out_call *call,
                               const tenon_out_match *match) {
  if (call->says_written || call->n_returns == 0 || has_name_of_out(call->name))
    return true;
  for (uint32_t i = 0; i < op->schema->n_returns; ++i)
    if (!is_called_out(out_name(call, match, i))) return false;
  return true;
}

// An argument that another overload reads may be one that this one reads, too.
static bool is_read_elsewhere(const tenon_op *op, const tenon_out_call *call,
                              const tenon_out_match *match,
                              const tenon_op *other) {
  if (call->says_written || has_name_of(call->name, op)) return false;
  for (uint32_t i = 0; i < op->schema->n_returns; ++i)
    if (tenon_schema_find(other->schema, out_name(call, match, i))) return true;
  return false;
}

// Outs that are called like results, but like others than their own.
static bool is_crossed(const tenon_op *op, const tenon_out_call *call,
                       const tenon_out_match *match) {
  const tenon_schema *s = op->schema;
  for (uint32_t i = 0; i < s->n_returns; ++i)
    for (uint32_t k = 0; k < s->n_returns; ++k) {
      const char *name = out_name(call, match, i);
      if (i != k && *name && strcmp(s->returns[k].name, name) == 0) return true;
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
      !is_functional(op) || !out_variant_fits(op, call, &m) ||
      !out_variant_is_out(op, call, &m))
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

void tenon_out_variant_named(const tenon_context *cx, const char *name,
                             tenon_out_match *out) {
  const tenon_op *const *ops = NULL;
  memset(out, 0, sizeof *out);
  size_t n = strrchr(name, '.') ? tenon_registry_ops(cx, &ops) : 0;
  for (size_t i = 0; i < n; ++i) {
    const tenon_op *op = ops[i], *best = out->functional;
    if (!op->desc || !op->schema || strcmp(op->name, name) == 0 ||
        !is_overload_of(op, name) || !is_functional(op))
      continue;
    if (!best || (has_name_of(name, op) && !has_name_of(name, best))) {
      out->functional = op;
      out->other = NULL;
    } else if (!has_name_of(name, best)) {
      out->other = op;
    }
  }
}

// ---------------------------------------------------------------------------
// The lowering
// ---------------------------------------------------------------------------

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
static int out_variant_find_tensor(const tenon_schema *s, const char *name) {
  for (int i = 0; i < s->n_tensors; ++i)
    if (strcmp(tenon_schema_tensor(s, i)->name, name) == 0) return i;
  return -1;
}

// Where the results of the functional operator are among those of the overload.
typedef struct place {
  int tensor;  // argument that is written
  int first;   // result of the overload; -1: it has none yet
  int count;
  bool is_none;  // nothing is to be written
} place;

// The tensor argument that receives result `g`: the declared ones are the outs
// in their order, then come the states, by name.
static int receiver(const tenon_schema *s, const tenon_schema *f, uint32_t g) {
  if (g >= f->n_returns)
    return out_variant_find_tensor(
        s, tenon_schema_tensor(f, f->written[g - f->n_returns])->name);
  for (int t = 0; t < s->n_tensors; ++t) {
    const tenon_argument *a = tenon_schema_tensor(s, t);
    if (a->is_written && !tenon_schema_find(f, a->name) && g-- == 0) return t;
  }
  return -1;
}

static place out_variant_place_of(tenon_rewriter *rw, const tenon_node *n,
                                  const tenon_schema *f, uint32_t g) {
  const tenon_schema *s = n->op->schema;
  place p = {receiver(s, f, g), -1, 0, false};
  int operand = 0, group = 0, k = 0;
  p.count = rw->api->group(rw, n, p.tensor, &operand);
  p.is_none = p.count == 1 && !rw->api->operand(rw, n, operand);
  while (group < s->n_returns && tenon_schema_return_of(s, group) != p.tensor)
    ++group;
  while (group == s->n_returns + k && k < s->n_written &&
         s->written[k] != p.tensor)
    group = s->n_returns + ++k;
  if (group < n->n_out_groups)
    p.first = n->out_group ? n->out_group[group] : group;
  return p;
}

// Operands of the functional operator: what it is given here, but for the outs.
static uint32_t out_variant_take_operands(tenon_rewriter *rw,
                                          const tenon_node *n,
                                          const tenon_schema *f,
                                          tenon_value **in, uint16_t *groups) {
  uint32_t n_in = 0;
  groups[0] = 0;
  for (int i = 0; i < f->n_tensors; ++i) {
    int at =
        out_variant_find_tensor(n->op->schema, tenon_schema_tensor(f, i)->name);
    int first = 0, count = at < 0 ? 0 : rw->api->group(rw, n, at, &first);
    for (int k = 0; k < count; ++k)
      in[n_in++] = rw->api->operand(rw, n, first + k);
    groups[i + 1] = (uint16_t)n_in;
  }
  return n_in;
}

// Each result of the functional operator goes where the overload has it.
static tenon_status out_variant_replace(tenon_rewriter *rw, const tenon_node *n,
                                        const place *places, uint32_t n_places,
                                        tenon_value *const *made,
                                        const tenon_type *const *types,
                                        tenon_value **values) {
  uint32_t at = 0;
  for (uint32_t g = 0; g < n_places; ++g) {
    for (int k = 0; k < places[g].count; ++k, ++at) {
      if (types[at] && !made[at]->has_failed &&
          !tenon_type_may_equal(types[at], &made[at]->type))
        return other_type(rw, n, (int)g, types[at], &made[at]->type);
      if (places[g].first < 0) continue;
      values[places[g].first + k] =
          places[g].is_none ? rw->api->literal(rw, tenon_written_nothing(), "")
                            : made[at];
    }
  }
  return rw->api->replace(rw, n, values, n->n_out);
}

// The functional operator, whose results become the values that are written.
// Before pass `functional` the overload has only its declared ones.
static tenon_status out_variant_lower(tenon_rewriter *rw, const tenon_node *n) {
  const tenon_op *op = (const tenon_op *)rw->api->user(rw);
  const tenon_schema *f = op->schema;
  tenon_module *m = n->graph->module;
  bool has_rule = op->desc->infer || op->desc->lower || op->n_lowerings > 0;
  bool has_types = !has_rule;
  uint32_t n_places =
      (uint32_t)f->n_returns + (n->is_functional ? f->n_written : 0);
  uint32_t most = (uint32_t)n->n_in + n->n_out + n_places, n_out = 0;
  place *places = tenon_arena_array(&m->arena, place, n_places);
  uint16_t *groups = tenon_arena_array(&m->arena, uint16_t, n_places + 1u);
  uint16_t *in_groups =
      tenon_arena_array(&m->arena, uint16_t, (size_t)f->n_tensors + 1);
  tenon_value **in = tenon_arena_array(&m->arena, tenon_value *, n->n_in);
  tenon_value **made = tenon_arena_array(&m->arena, tenon_value *, most);
  tenon_value **values = tenon_arena_array(&m->arena, tenon_value *, n->n_out);
  const tenon_type **types =
      tenon_arena_array(&m->arena, const tenon_type *, most);
  if (!places || !groups || !in_groups || !in || !made || !values || !types)
    return tenon_rw_fail(rw, "memory ran out");
  groups[0] = 0;
  bool is_wanted = !(op->desc->flags & TENON_OP_PURE);
  // The file says what the results are like, where the operator has no rule.
  // One that may be None is, where nobody wants it.
  for (uint32_t g = 0; g < n_places; ++g) {
    places[g] = out_variant_place_of(rw, n, f, g);
    for (int k = 0; k < places[g].count; ++k, ++n_out) {
      bool is_known = !places[g].is_none && places[g].first >= 0;
      types[n_out] =
          is_known ? rw->api->result(rw, n, places[g].first + k) : NULL;
      if (!has_rule && !is_known && g < f->n_returns &&
          f->returns[g].is_optional)
        types[n_out] = tenon_written_nothing();
      has_types &= types[n_out] != NULL;
      is_wanted |= !places[g].is_none;
    }
    groups[g + 1] = (uint16_t)n_out;
  }
  if (!is_wanted)
    return out_variant_replace(rw, n, places, n_places, NULL, types, values);
  tenon_build b = {.struct_size = sizeof b,
                   .types = has_types ? types : NULL,
                   .n_in = out_variant_take_operands(rw, n, f, in, in_groups),
                   .n_out = n_out,
                   .op = op->name,
                   .args = rw->api->args(rw, n),
                   .in = in,
                   .in_group = in_groups,
                   .out = made,
                   .out_group = groups};
  (void)rw->api->build(rw, &b);
  return out_variant_replace(rw, n, places, n_places, made, types, values);
}

// ---------------------------------------------------------------------------
// The operator
// ---------------------------------------------------------------------------

// The argument that an earlier call of the same overload has for result `i`.
static const tenon_argument *earlier(const tenon_op *op,
                                     const tenon_out_match *match, uint32_t i) {
  return op->schema ? &op->schema->args[match->functional->schema->n_args + i]
                    : NULL;
}

// One call may leave out what another gives, where the names are of results.
static bool out_variant_may_lack(const tenon_out_call *call,
                                 const tenon_out_match *match, uint32_t i) {
  const tenon_argument *r = &match->functional->schema->returns[i];
  uint16_t at = match->outs[i];
  if (call->n_returns > 0) return false;
  if (r->is_list) return at == TENON_NO_OUT;
  return at == TENON_NO_OUT || strcmp(r->name, call->args[at].name) == 0 ||
         !call->args[at].is_tensor;
}

// The argument that receives result `i`.
static void write_out(tenon_buf *b, const tenon_out_call *call,
                      const tenon_out_match *match, const tenon_op *op,
                      uint32_t i) {
  const char *name = out_name(call, match, i);
  const tenon_argument *before = earlier(op, match, i);
  bool lacks =
      out_variant_may_lack(call, match, i) || (before && before->is_optional);
  if (before && match->outs[i] == TENON_NO_OUT) name = before->name;
  if (match->functional->schema->returns[i].is_list) tenon_buf_text(b, "[]");
  if (lacks) tenon_buf_char(b, '?');
  if (*name)
    tenon_buf_format(b, " %s", name);
  else
    tenon_buf_format(b, " out%u", (unsigned)i);
  if (lacks) tenon_buf_text(b, "=None");
}

// "ns::name.out(ARGS, *, Tensor(out0!) out) -> Tensor(out0!)".
static void write_schema(tenon_buf *b, const tenon_out_call *call,
                         const tenon_out_match *match, const tenon_op *op) {
  const tenon_schema *s = match->functional->schema;
  char mark[24] = "(out";
  const char *text = match->functional->desc->schema;
  const char *open = strchr(text, '('), *arrow = strstr(text, "->");
  const char *close = arrow;
  bool has_star = false, is_alone = call->n_returns == 1;
  // Names have no parentheses, and the last one before the arrow ends the list.
  while (close > open && *close != ')')
    --close;
  for (uint16_t i = 0; i < s->n_args; ++i)
    has_star |= s->args[i].is_keyword_only;
  // A state has a mark of its own.
  for (size_t n = 4; strstr(text, mark) && n + 1 < sizeof mark; ++n)
    mark[n] = '_';
  tenon_buf_format(b, "%s%.*s", call->name, (int)(close - open), open);
  for (uint16_t i = 0; i < s->n_returns; ++i) {
    tenon_buf_format(b, "%s%sTensor%s%u!)", i || s->n_args ? ", " : "",
                     i || has_star ? "" : "*, ", mark, (unsigned)i);
    write_out(b, call, match, op, i);
  }
  tenon_buf_text(b, is_alone ? ") -> " : ") -> (");
  for (uint32_t i = 0; i < call->n_returns; ++i)
    tenon_buf_format(b, "%sTensor%s%u!)%s", i ? ", " : "", mark, (unsigned)i,
                     s->returns[i].is_list ? "[]" : "");
  if (!is_alone) tenon_buf_char(b, ')');
}

static bool out_variant_fill(tenon_module *m, const char *text,
                             const tenon_op *functional, tenon_op *op) {
  char error[256];
  size_t at = 0;
  tenon_schema *schema = NULL;
  // Of hostile names there is none: then nobody describes the operator.
  if (!tenon_schema_parse(&m->arena, text, &schema, error, sizeof error, &at))
    return !m->arena.failed;
  tenon_op_desc desc = {.struct_size = sizeof desc,
                        .flags = functional->desc->flags & TENON_OP_PURE,
                        .schema = text,
                        .doc = functional->desc->doc,
                        .lower = out_variant_lower,
                        .user = functional};
  const tenon_lowering **list =
      tenon_arena_array(&m->arena, const tenon_lowering *, 1);
  const tenon_op_desc *own =
      tenon_arena_copy(&m->arena, &desc, sizeof desc, _Alignof(tenon_op_desc));
  if (!list || !own) return false;
  list[0] = tenon_lowering_own(&m->arena, op->name, own, functional->owner);
  if (!list[0]) return false;
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
  tenon_buf_init(&key, m->arena.allocator);
  tenon_buf_format(&key, TENON_SCHEMA_KEY "%s", op->name);
  item.key = key.failed ? NULL : tenon_arena_string(&m->arena, key.data);
  tenon_buf_deinit(&key);
  for (size_t i = 0; item.key && i < m->metadata.count; ++i) {
    if (strcmp(m->metadata.data[i].key, item.key) != 0) continue;
    m->metadata.data[i] = item;
    return true;
  }
  return item.key && tenon_vec_push(&m->metadata, item);
}

static const tenon_op *out_variant_make(tenon_module *m, tenon_op *op,
                                        const char *text,
                                        const tenon_op *functional) {
  if (text && out_variant_fill(m, text, functional, op) &&
      (!op->desc || keep_schema(m, op)))
    return op;
  (void)tenon_fail_memory(&m->report, "adding an operator");
  return NULL;
}

// Of a module of its own, where it may be described: nothing else knows it.
static tenon_op *own(tenon_module *m, const char *name) {
  return (tenon_op *)(uintptr_t)tenon_module_unknown_op(m, name);
}

bool tenon_out_variant_is_made(const tenon_op *op) {
  return op->desc && op->desc->lower == out_variant_lower;
}

bool tenon_out_variant_lacks(const tenon_op *op, const tenon_out_call *call) {
  bool is_made = tenon_out_variant_is_made(op);
  for (uint32_t i = 0; is_made && i < call->n_args; ++i)
    if (!tenon_schema_find(op->schema, call->args[i].name)) return true;
  return false;
}

const tenon_op *tenon_out_variant_make(tenon_module *m,
                                       const tenon_out_call *call,
                                       const tenon_out_match *match) {
  tenon_buf b;
  tenon_op *op = own(m, call->name);
  if (!op || (op->desc && !tenon_out_variant_lacks(op, call))) return op;
  tenon_buf_init(&b, m->arena.allocator);
  write_schema(&b, call, match, op);
  const char *text =
      b.failed ? NULL : tenon_arena_text(&m->arena, b.data, b.size);
  tenon_buf_deinit(&b);
  return out_variant_make(m, op, text, match->functional);
}

bool tenon_out_variant_declared(const tenon_context *cx, tenon_arena *arena,
                                const tenon_schema *s, tenon_out_match *out) {
  tenon_out_call call = {.name = s->name,
                         .n_args = s->n_args,
                         .n_returns = s->n_returns,
                         .says_written = true};
  tenon_out_arg *args = tenon_arena_array(arena, tenon_out_arg, s->n_args);
  memset(out, 0, sizeof *out);
  if (!args) return false;
  for (uint16_t i = 0; i < s->n_args; ++i) {
    const tenon_argument *a = &s->args[i];
    bool is_tensor = a->base == TENON_BASE_TENSOR;
    if (a->is_written && a->has_optional_elements) return true;
    args[i] = (tenon_out_arg){a->name, is_tensor && !a->is_list,
                              is_tensor && a->is_list, a->is_written};
  }
  call.args = args;
  tenon_out_variant_find(cx, &call, out);
  return true;
}

tenon_status tenon_out_variant_of_schema(tenon_module *m, const tenon_schema *s,
                                         const char *text,
                                         const tenon_op **out) {
  tenon_out_match match;
  *out = NULL;
  if (!tenon_out_variant_declared(m->cx, &m->arena, s, &match))
    return tenon_fail_memory(&m->report, "adding an operator");
  if (!match.functional || match.other || match.is_crossed) return TENON_OK;
  for (uint16_t i = 0; i < match.functional->schema->n_returns; ++i)
    if (match.outs[i] == TENON_NO_OUT) return TENON_OK;
  for (uint16_t i = 0; i < s->n_returns; ++i) {
    const tenon_argument *a =
        tenon_schema_tensor(s, tenon_schema_return_of(s, i));
    if (a != &s->args[match.outs[i]]) return TENON_OK;
  }
  tenon_op *op = own(m, s->name);
  text = tenon_arena_string(&m->arena, text);
  *out = !op || op->desc ? op : out_variant_make(m, op, text, match.functional);
  return *out ? TENON_OK : TENON_NO_MEMORY;
}
