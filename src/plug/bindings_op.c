// How: a schema with `out` arguments becomes that of the functional operator by
// leaving these out and returning a tensor for each. The functional operator of
// one that there is has the same base name and the same arguments otherwise;
// PyTorch's names alone do not tell (add.out belongs to add.Tensor).
#include <stdio.h>
#include <string.h>

#include "base/label.h"
#include "ops/aten/aten.h"
#include "plug/bindings.h"
#include "plug/yaml_schema.h"
#include "reg/catalog.h"

#define NAME_SIZE 512

// ---------------------------------------------------------------------------
// Schemas
// ---------------------------------------------------------------------------

// Whether argument i only receives a result: written, and keyword-only, which
// is how PyTorch tells `out` (and `values` of topk.values) from state.
static bool bind_op_is_out(const tenon_schema *s, uint16_t i) {
  const tenon_argument *a = &s->args[i];
  return a->is_written && a->is_keyword_only && a->base == TENON_BASE_TENSOR &&
         !a->is_optional;
}

static uint16_t count_outs(const tenon_schema *s) {
  uint16_t n = 0;
  for (uint16_t i = 0; i < s->n_args; ++i)
    n = (uint16_t)(n + bind_op_is_out(s, i));
  return n;
}

// The i-th of the arguments that only receive a result.
static const tenon_argument *nth_out(const tenon_schema *s, uint16_t i) {
  uint16_t at = 0;
  while (!bind_op_is_out(s, at) || i-- > 0)
    ++at;
  return &s->args[at];
}

static bool is_same_argument(const tenon_argument *a, const tenon_argument *b) {
  return strcmp(a->name, b->name) == 0 &&
         strcmp(a->type_text, b->type_text) == 0;
}

// What an out variant reads off its result: aten::full has them, full.out not.
static bool is_tensor_option(const tenon_argument *a) {
  static const char *const names[] = {"dtype", "layout", "device",
                                      "pin_memory"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    if (strcmp(a->name, names[i]) == 0)
      return a->is_keyword_only && a->is_optional;
  return false;
}

// Whether `f` is `out` without its outs, and returns a tensor for each.
static bool is_functional_of(const tenon_schema *f, const tenon_schema *out) {
  uint16_t at = 0;
  if (f->n_returns != count_outs(out)) return false;
  for (uint16_t i = 0; i < f->n_returns; ++i) {
    const tenon_argument *r = &f->returns[i];
    if (r->base != TENON_BASE_TENSOR || r->alias ||
        r->is_list != nth_out(out, i)->is_list)
      return false;
  }
  for (uint16_t i = 0; i < out->n_args; ++i) {
    if (bind_op_is_out(out, i)) continue;
    while (at < f->n_args && is_tensor_option(&f->args[at]) &&
           !is_same_argument(&f->args[at], &out->args[i]))
      ++at;
    if (at == f->n_args || !is_same_argument(&f->args[at], &out->args[i]))
      return false;
    ++at;
  }
  while (at < f->n_args && is_tensor_option(&f->args[at]))
    ++at;
  return at == f->n_args;
}

// "ns::name.x_out" to "ns::name.x"; "ns::name.out" and "ns::name.values" to
// "ns::name".
static bool functional_name(const tenon_schema *s, char *out, size_t size) {
  int n = snprintf(out, size, "%s", s->name);
  if (n < 0 || (size_t)n >= size) return false;
  if (tenon_text_ends(out, "_out"))
    out[n - 4] = 0;
  else
    out[strcspn(out, ".")] = 0;
  return true;
}

// The functional operator of which `s` is the out variant: by name, else one
// of a catalog with the same base. Null: there is none.
static tenon_status find_functional(const tenon_bindings *b,
                                    const tenon_schema *s,
                                    const tenon_op **out) {
  char name[NAME_SIZE];
  *out = NULL;
  if (!functional_name(s, name, sizeof name)) return TENON_OK;
  TENON_TRY(tenon_registry_get_op(b->cx, name, out));
  if (*out && (*out)->desc && is_functional_of((*out)->schema, s))
    return TENON_OK;
  *out = NULL;
  size_t size = strcspn(s->name, ".");
  for (size_t i = 0; i < tenon_catalogs_count(b->cx); ++i) {
    const tenon_catalog_desc *c = &tenon_catalogs_at(b->cx, i)->desc;
    for (size_t k = 0; k < c->count; ++k) {
      const char *n = c->name(c->user, k);
      const tenon_op *op = NULL;
      if (strncmp(n, s->name, size) != 0 || (n[size] && n[size] != '.'))
        continue;
      TENON_TRY(tenon_registry_get_op(b->cx, n, &op));
      if (!op || !op->desc || !is_functional_of(op->schema, s)) continue;
      *out = op;
      return TENON_OK;
    }
  }
  return TENON_OK;
}

// The text of a schema that has no outs, under that name.
static const char *functional_text(const tenon_bindings *b,
                                   const tenon_schema *s, const char *name) {
  tenon_schema f = *s;
  static const tenon_argument result[2] = {
      {.name = "", .type_text = "Tensor", .base = TENON_BASE_TENSOR},
      {.name = "", .type_text = "Tensor[]", .base = TENON_BASE_TENSOR}};
  uint16_t outs = count_outs(s), at = 0;
  tenon_buf text;
  tenon_argument *args = tenon_arena_array(b->arena, tenon_argument, s->n_args);
  tenon_argument *returns = tenon_arena_array(b->arena, tenon_argument, outs);
  if (!args || !returns) return NULL;
  for (uint16_t i = 0; i < s->n_args; ++i)
    if (!bind_op_is_out(s, i)) args[at++] = s->args[i];
  for (uint16_t i = 0; i < outs; ++i)
    returns[i] = result[nth_out(s, i)->is_list];
  f.name = name;
  f.args = args;
  f.returns = returns;
  f.n_args = at;
  f.n_returns = outs;
  tenon_buf_init(&text, b->cx->allocator);
  tenon_schema_print(&f, &text);
  const char *copy =
      text.failed ? NULL : tenon_arena_text(b->arena, text.data, text.size);
  tenon_buf_deinit(&text);
  return copy;
}

static const char *canonical_text(const tenon_bindings *b,
                                  const tenon_schema *s) {
  tenon_buf text;
  tenon_buf_init(&text, b->cx->allocator);
  tenon_schema_print(s, &text);
  const char *copy =
      text.failed ? NULL : tenon_arena_text(b->arena, text.data, text.size);
  tenon_buf_deinit(&text);
  return copy;
}

// ---------------------------------------------------------------------------
// Parameters
// ---------------------------------------------------------------------------

static tenon_bind_param *bind_op_add_param(tenon_bind_op *op,
                                           const tenon_argument *a,
                                           tenon_bind_role role,
                                           uint16_t index) {
  tenon_bind_param *p = &op->params[op->n_params++];
  *p = (tenon_bind_param){a, a->name, (uint8_t)role, index, 0};
  if (role != TENON_BIND_ATTR) p->slot = op->n_slots++;
  return p;
}

// The number among the attributes of the served operator, which may have more
// of them.
static uint16_t attr_of(const tenon_schema *s, const char *name) {
  uint16_t i = 0;
  while (strcmp(tenon_schema_attr(s, i)->name, name) != 0)
    ++i;
  return i;
}

// The result of a call that tensor argument i of the served schema is after.
static uint16_t bind_op_result_of(const tenon_schema *s, int tensor) {
  for (uint16_t r = 0; r < s->n_returns; ++r)
    if (tenon_schema_return_of(s, r) == tensor) return r;
  for (uint16_t w = 0; w < s->n_written; ++w)
    if (s->written[w] == tensor) return (uint16_t)(s->n_returns + w);
  return 0;
}

static const char *bind_op_result_name(const tenon_bindings *b,
                                       const tenon_schema *s, uint16_t i) {
  char name[16];
  if (s->returns[i].name[0]) return s->returns[i].name;
  if (s->n_returns == 1) return "out";
  snprintf(name, sizeof name, "out%u", (unsigned)i);
  return tenon_arena_string(b->arena, name);
}

// In the order of what stands in the file; then the results that no argument
// of it is.
static tenon_status bind_op_make_params(const tenon_bindings *b,
                                        tenon_bind_op *op) {
  const tenon_schema *g = op->given, *s = op->schema;
  bool drops_outs = count_outs(g) > 0 && count_outs(s) == 0;
  uint16_t tensors = 0, outs = 0;
  op->n_results = (uint16_t)(s->n_returns + s->n_written);
  op->params = tenon_arena_array(b->arena, tenon_bind_param,
                                 (size_t)g->n_args + s->n_returns);
  if (!op->params) return tenon_bindings_memory(b);
  for (uint16_t i = 0; i < g->n_args; ++i) {
    const tenon_argument *a = &g->args[i];
    if (drops_outs && bind_op_is_out(g, i)) {
      bind_op_add_param(op, a, TENON_BIND_OUT, outs++);
    } else if (a->base != TENON_BASE_TENSOR) {
      if (a->kind == 0)
        return tenon_yaml_fail(op->at, "binding-schema",
                               "a C function cannot be given '%s %s'",
                               a->type_text, a->name);
      bind_op_add_param(op, a, TENON_BIND_ATTR, attr_of(s, a->name));
    } else if (a->is_written) {
      if (a->is_list)
        return tenon_yaml_fail(op->at, "binding-schema",
                               "a C function cannot be given '%s %s'",
                               a->type_text, a->name);
      bind_op_add_param(op, a, TENON_BIND_OUT, bind_op_result_of(s, tensors++));
    } else {
      bind_op_add_param(op, a, TENON_BIND_IN, tensors++);
    }
  }
  for (uint16_t i = 0; i < s->n_returns && !drops_outs; ++i) {
    if (tenon_schema_return_of(s, i) >= 0) continue;
    if (s->returns[i].base != TENON_BASE_TENSOR)
      return tenon_yaml_fail(op->at, "binding-schema",
                             "a C function cannot return '%s'",
                             s->returns[i].type_text);
    bind_op_add_param(op, &s->returns[i], TENON_BIND_OUT, i)->name =
        bind_op_result_name(b, s, i);
  }
  return b->arena->failed ? tenon_bindings_memory(b) : TENON_OK;
}

// ---------------------------------------------------------------------------
// Operators
// ---------------------------------------------------------------------------

// "add.out" is ATen's; "ns.name" and "ns::name" are others'.
static bool full_name(const char *text, char out[NAME_SIZE]) {
  bool has_set = strstr(text, "::") != NULL;
  int n = snprintf(out, NAME_SIZE, "%s%s%s", has_set ? "" : TENON_ATEN_SET,
                   has_set ? "" : "::", text);
  size_t size = n < 0 ? 0 : (size_t)n;
  if (size == 0 || size >= NAME_SIZE) return false;
  if (tenon_text_ends(out, ".default")) out[size - 8] = 0;
  return true;
}

static tenon_status use_op(const tenon_bindings *b, const tenon_yaml *at,
                           tenon_bind_op *op) {
  char name[NAME_SIZE], label[TENON_LABEL];
  const tenon_op *found = NULL, *functional = NULL;
  tenon_label_make(label, at->text);
  if (full_name(at->text.data, name))
    TENON_TRY(tenon_registry_get_op(b->cx, name, &found));
  if (!found || !found->desc) {
    const char *near = tenon_registry_nearest_op(b->cx, name);
    return tenon_yaml_fail_note(
        at, "binding-op",
        "an operator of one's own is described by its schema: 'func: "
        "ns::name(Tensor x) -> Tensor'",
        "unknown operator '%s'%s%s%s", label, TENON_DID_YOU_MEAN(near));
  }
  op->given = found->schema;
  op->existing = found;
  if (count_outs(op->given) > 0) {
    TENON_TRY(find_functional(b, op->given, &functional));
    if (functional) op->existing = functional;
  }
  op->schema = op->existing->schema;
  op->text = canonical_text(b, op->schema);
  return op->text ? TENON_OK : tenon_bindings_memory(b);
}

// What an out variant serves that nobody has a functional operator for: one of
// its own name without ".out". Where that means something else, as allclose
// does for ExecuTorch's allclose.out, it keeps its whole name.
static tenon_status bind_op_make_functional(const tenon_bindings *b,
                                            const tenon_yaml *at,
                                            tenon_bind_op *op) {
  char name[NAME_SIZE];
  const tenon_op *taken = NULL;
  tenon_schema *schema = NULL;
  tenon_yaml text = *at;
  if (!functional_name(op->given, name, sizeof name))
    return tenon_yaml_fail(at, "binding-schema", "a name of more than %d bytes",
                           NAME_SIZE);
  TENON_TRY(tenon_registry_get_op(b->cx, name, &taken));
  bool is_taken = taken && taken->desc && op->is_atens;
  op->text = functional_text(b, op->given, is_taken ? op->given->name : name);
  if (!op->text) return tenon_bindings_memory(b);
  text.text = tenon_text_of(op->text);
  TENON_TRY(tenon_yaml_schema(b->cx, b->arena, &text, NULL, "binding-schema",
                              &schema));
  op->schema = schema;
  return TENON_OK;
}

static tenon_status describe_op(const tenon_bindings *b, const tenon_yaml *at,
                                tenon_bind_op *op) {
  tenon_schema *given = NULL;
  const tenon_op *found = NULL;
  TENON_TRY(tenon_yaml_schema(b->cx, b->arena, at, TENON_ATEN_SET,
                              "binding-schema", &given));
  op->given = op->schema = given;
  op->is_atens = !strstr(at->text.data, "::");
  bool has_outs = count_outs(given) > 0;
  if (has_outs) {
    TENON_TRY(find_functional(b, given, &found));
    TENON_TRY(bind_op_make_functional(b, at, op));
  } else {
    op->text = canonical_text(b, given);
    if (!op->text) return tenon_bindings_memory(b);
  }
  if (!found) TENON_TRY(tenon_registry_get_op(b->cx, op->schema->name, &found));
  if (!found || !found->desc) return TENON_OK;
  const char *other = canonical_text(b, found->schema);
  if (!other) return tenon_bindings_memory(b);
  op->existing = found;
  if (has_outs ? !is_functional_of(found->schema, given)
               : strcmp(other, op->text) != 0)
    return tenon_yaml_fail_note(at, "binding-schema",
                                "write 'op:' to bind a kernel to what is there",
                                "'%s' is '%s' of plugin '%s' already", op->text,
                                other, found->owner->name);
  op->schema = found->schema;
  op->text = other;
  return TENON_OK;
}

tenon_status tenon_bindings_op(const tenon_bindings *b, const tenon_yaml *at,
                               bool is_func, tenon_bind_op *op) {
  op->at = at;
  TENON_TRY(tenon_yaml_text(at, &op->written));
  TENON_TRY(is_func ? describe_op(b, at, op) : use_op(b, at, op));
  return bind_op_make_params(b, op);
}

// ---------------------------------------------------------------------------
// Shapes
// ---------------------------------------------------------------------------

static const tenon_bind_param *bind_op_find_tensor(const tenon_bind_op *op,
                                                   const char *name,
                                                   tenon_bind_role role) {
  for (uint16_t i = 0; i < op->n_params; ++i)
    if (op->params[i].role == (uint8_t)role &&
        strcmp(op->params[i].name, name) == 0)
      return &op->params[i];
  return NULL;
}

static tenon_status no_tensor(const tenon_bind_op *op, const tenon_yaml *at,
                              tenon_bind_role role) {
  tenon_nearest near;
  char label[TENON_LABEL];
  tenon_nearest_init(&near, at->text.data);
  for (uint16_t i = 0; i < op->n_params; ++i)
    if (op->params[i].role == (uint8_t)role)
      tenon_nearest_feed(&near, op->params[i].name);
  tenon_label_make(label, at->text);
  return tenon_yaml_fail(at, "binding-key", "'%s' has no %s '%s'%s%s%s",
                         op->given->name,
                         role == TENON_BIND_OUT ? "result" : "operand", label,
                         TENON_DID_YOU_MEAN(near.best));
}

// Written arguments are like themselves.
static void keep_written(const tenon_schema *s, int16_t *like) {
  for (int i = 0; i < s->n_tensors; ++i)
    if (tenon_schema_tensor(s, i)->is_written)
      like[bind_op_result_of(s, i)] = (int16_t)i;
}

tenon_status tenon_bindings_like(const tenon_bindings *b, const tenon_yaml *at,
                                 tenon_bind_op *op) {
  int16_t *like = tenon_arena_array(b->arena, int16_t, op->n_results + 1u);
  if (!like) return tenon_bindings_memory(b);
  TENON_TRY(tenon_yaml_map(at));
  memset(like, -1, sizeof *like * (op->n_results + 1u));
  for (uint16_t i = 0; i < op->schema->n_args; ++i)
    if (op->schema->args[i].base == TENON_BASE_TENSOR &&
        op->schema->args[i].is_list)
      return tenon_yaml_fail(at, "binding-schema",
                             "'like' of an operator with a list of tensors");
  for (uint16_t i = 0; i < op->schema->n_returns; ++i)
    if (op->schema->returns[i].is_list)
      return tenon_yaml_fail(at, "binding-schema",
                             "'like' of a result that is a list of tensors");
  keep_written(op->schema, like);
  for (const tenon_yaml *e = at->first; e; e = e->next) {
    const char *name = NULL;
    const tenon_bind_param *to =
        bind_op_find_tensor(op, e->key->text.data, TENON_BIND_OUT);
    TENON_TRY(tenon_yaml_text(e, &name));
    const tenon_bind_param *from = bind_op_find_tensor(op, name, TENON_BIND_IN);
    if (!to) return no_tensor(op, e->key, TENON_BIND_OUT);
    if (!from) return no_tensor(op, e, TENON_BIND_IN);
    like[to->index] = (int16_t)from->index;
  }
  for (uint16_t i = 0; i < op->n_results; ++i)
    if (like[i] < 0)
      return tenon_yaml_fail(at, "binding-key",
                             "'like' does not say what result %u is like",
                             (unsigned)i);
  op->like = like;
  return TENON_OK;
}
