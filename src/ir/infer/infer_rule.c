// How: what a shape rule may ask about its node and what it may answer. A rule
// is a plugin's code: each call checks what it is given, and the first breach
// of the contract is the one that is reported.
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "core/attr.h"
#include "ir/infer/inferring.h"

typedef tenon_inferring run;

tenon_status tenon_inferring_violate(run *r, const char *what, int64_t value) {
  if (r->failure == TENON_OK)
    r->failure =
        tenon_fail(&r->m->report, TENON_BAD_PLUGIN, "infer-contract",
                   tenon_node_place(r->n), "%s: its shape rule %s (%lld)",
                   r->title.text, what, (long long)value);
  return r->failure;
}

// ---------------------------------------------------------------------------
// What a rule may ask
// ---------------------------------------------------------------------------

static const tenon_value *rule_api_operand(const run *r, int i) {
  if (i < 0 || i >= r->n->n_in) return NULL;
  return tenon_node_in(r->n, (uint32_t)i);
}

static const tenon_type *infer_in(const tenon_infer *c, int i) {
  const tenon_value *v = rule_api_operand((const run *)c, i);
  return v ? &v->type : NULL;
}

static int infer_group(const tenon_infer *c, int arg, int *first) {
  return tenon_node_group(((const run *)c)->n, arg, first);
}

static const tenon_tensor *infer_constant(const tenon_infer *c, int i) {
  const tenon_value *v = rule_api_operand((const run *)c, i);
  return tenon_value_known(v);
}

static const tenon_type *infer_declared(const tenon_infer *c, int i) {
  const run *r = (const run *)c;
  if (!r->declared || i < 0 || i >= r->n->n_out) return NULL;
  return r->declared[i];
}

static const void *infer_attrs(const tenon_infer *c) {
  return ((const run *)c)->n->attrs;
}

static tenon_dim infer_size(const tenon_infer *c, const char *attr, int i) {
  return tenon_node_size(((const run *)c)->n, attr, i);
}

static const void *infer_user(const tenon_infer *c) {
  const tenon_op *op = ((const run *)c)->n->op;
  return op->desc ? op->desc->user : NULL;
}

// ---------------------------------------------------------------------------
// What a rule may do
// ---------------------------------------------------------------------------

static tenon_dim infer_dim(tenon_infer *c, tenon_dim_op op, tenon_dim a,
                           tenon_dim b) {
  run *r = (run *)c;
  tenon_dim none = {TENON_UNKNOWN, 0};
  if ((op == TENON_DIM_DIV || op == TENON_DIM_MOD) && tenon_dim_is_fixed(b) &&
      b.value == 0) {
    (void)tenon_inferring_violate(r, "divides a size by zero", 0);
    return none;
  }
  return tenon_symbols_apply(&r->m->symbols, op, a, b);
}

static tenon_dim fresh_number(tenon_module *m, uint32_t kind) {
  tenon_dim d = tenon_symbols_fresh(&m->symbols, INT64_MIN, INT64_MAX);
  if (m->arena.failed) return d;
  m->symbols.data[d.symbol].kind = kind;
  d.value = kind;
  return d;
}

static tenon_dim infer_decided(tenon_infer *c, tenon_dim most) {
  run *r = (run *)c;
  tenon_dim none = {TENON_UNKNOWN, 0};
  int64_t max = most.value;
  const tenon_symbol *bound = tenon_symbols_look(&r->m->symbols, most.symbol);
  if (bound) max = bound->max;
  if (!bound && max == TENON_UNKNOWN) max = INT64_MAX;
  if (max < 0) {
    (void)tenon_inferring_violate(r, "bounds a size below zero", max);
    return none;
  }
  if (r->n_decided == TENON_MAX_DECIDED) {
    (void)tenon_inferring_violate(r, "leaves too many sizes to the data",
                                  TENON_MAX_DECIDED + 1);
    return none;
  }
  tenon_dim d = {0, 0};
  if (r->n_decided < r->n->n_decided) {
    d.symbol = r->n->decided[r->n_decided];  // as when it ran before
    // Or as the file has it, which may know no bound.
    tenon_symbol *known = &r->m->symbols.data[d.symbol];
    if (max < known->max && max >= known->min && max > 0) known->max = max;
  } else {
    // Not 0: a symbol that can only be one number would fold to it.
    d = tenon_symbols_fresh(&r->m->symbols, 0, max > 0 ? max : 1);
  }
  if (!r->m->arena.failed) tenon_symbols_bound(&r->m->symbols, d, most);
  r->decided[r->n_decided++] = d.symbol;
  return d;
}

static tenon_status infer_results(tenon_infer *c, int result, int count) {
  run *r = (run *)c;
  const tenon_node *n = r->n;
  if (result < 0 || result >= n->n_out_groups)
    return tenon_inferring_violate(r, "counts a result that it does not have",
                                   result);
  int has = n->out_group ? n->out_group[result + 1] - n->out_group[result] : 1;
  if (has == count) return TENON_OK;
  if (r->failure == TENON_OK)
    r->failure =
        tenon_fail(&r->m->report, TENON_BAD_MODEL, "infer-mismatch",
                   tenon_node_place(r->n),
                   "%s: result %d has %d tensors by its shape rule, %d %s",
                   r->title.text, result, count, has, r->said);
  return r->failure;
}

static bool rule_api_is_size(const tenon_module *m, tenon_dim d) {
  if (d.symbol != 0) return d.symbol < m->symbols.count;
  return d.value >= 0;
}

// The operand whose value afterwards is result i, once there is one.
static const tenon_value *written_as(const run *r, int i) {
  const tenon_schema *s = r->n->op->schema;
  i -= r->n->n_out;
  for (int k = 0; k < s->n_written; ++k) {
    int first = 0, count = tenon_node_group(r->n, s->written[k], &first);
    if (i < count) return tenon_node_in(r->n, (uint32_t)(first + i));
    i -= count;
  }
  return NULL;
}

// What is written stays of its type.
static tenon_status check_later(run *r, int i, const tenon_type *t) {
  const tenon_value *v = written_as(r, i);
  if (!t || !v || tenon_type_may_equal(&v->type, t)) return TENON_OK;
  tenon_buf was, is;
  tenon_buf_init(&was, r->m->arena.allocator);
  tenon_buf_init(&is, r->m->arena.allocator);
  tenon_type_print(&v->type, &r->m->symbols, &was);
  tenon_type_print(t, &r->m->symbols, &is);
  r->failure = tenon_fail(
      &r->m->report, TENON_BAD_MODEL, "infer-mismatch", tenon_node_place(r->n),
      "%s: result %d is %s as the operand that it is written to, %s by its "
      "shape rule",
      r->title.text, i, was.data ? was.data : "?", is.data ? is.data : "?");
  tenon_buf_deinit(&was);
  tenon_buf_deinit(&is);
  return r->failure;
}

static tenon_status infer_out(tenon_infer *c, int i, const tenon_type *t) {
  run *r = (run *)c;
  if (r->failure != TENON_OK) return r->failure;
  if (i >= r->n->n_out && i < r->n->n_out + r->n_later)
    return check_later(r, i, t);
  if (i < 0 || i >= r->n->n_out)
    return tenon_inferring_violate(r, "sets a result that it does not have", i);
  if (!t || !tenon_dtype_look(t->dtype))
    return tenon_inferring_violate(r, "gives a result no element type", i);
  if (t->rank > TENON_MAX_RANK)
    return tenon_inferring_violate(r, "gives a result too many dimensions",
                                   t->rank);
  for (int k = 0; k < t->rank; ++k) {
    if (!rule_api_is_size(r->m, t->dims[k]))
      return tenon_inferring_violate(r, "gives a dimension that is not a size",
                                     t->dims[k].value);
  }
  r->out[i] = tenon_type_copy(&r->m->arena, t);
  r->out[i].flags = 0;
  if (r->m->arena.failed)
    r->failure = tenon_fail_memory(&r->m->report, "inferring types");
  return r->failure;
}

// What a rule was given, which its message need not repeat.
static void print_operands(const run *r, tenon_buf *out) {
  tenon_buf_text(out,
                 r->n->n_in == 1 ? "the operand is " : "the operands are ");
  for (uint16_t i = 0; i < r->n->n_in; ++i) {
    const tenon_value *v = r->n->in[i].value;
    if (i > 0) tenon_buf_text(out, ", ");
    if (v)
      tenon_type_print(&v->type, &r->m->symbols, out);
    else
      tenon_buf_text(out, "none");
  }
}

static tenon_status infer_fail(tenon_infer *c, const char *fmt, ...) {
  run *r = (run *)c;
  char text[TENON_MESSAGE_SIZE];
  tenon_buf operands;
  tenon_diag note = {
      .struct_size = sizeof note, .severity = TENON_NOTE, .id = "infer-rule"};
  va_list args;
  if (r->failure != TENON_OK) return r->failure;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  tenon_buf_init(&operands, r->m->arena.allocator);
  print_operands(r, &operands);
  note.message = operands.data;
  r->failure = tenon_fail_notes(
      &r->m->report, TENON_BAD_MODEL, "infer-rule", tenon_node_place(r->n),
      r->n->n_in > 0 && !operands.failed ? &note : NULL, "%s: %s",
      r->title.text, text);
  tenon_buf_deinit(&operands);
  return r->failure;
}

static tenon_dim infer_number(tenon_infer *c, uint32_t kind) {
  run *r = (run *)c;
  tenon_dim d = {TENON_UNKNOWN, 0};
  bool is_integer = kind == TENON_KIND_INT;
  if (!is_integer && kind != TENON_KIND_FLOAT && kind != TENON_KIND_BOOL) {
    (void)tenon_inferring_violate(r, "leaves a number of no kind to the data",
                                  kind);
    return d;
  }
  if (r->n_decided == TENON_MAX_DECIDED) {
    (void)tenon_inferring_violate(r, "leaves too many sizes to the data",
                                  TENON_MAX_DECIDED + 1);
    return d;
  }
  if (r->n_decided < r->n->n_decided) {
    d.symbol = r->n->decided[r->n_decided];  // as when it ran before
    d.value = r->m->symbols.data[d.symbol].kind;
  } else {
    d = fresh_number(r->m, is_integer ? 0 : kind);
  }
  r->decided[r->n_decided++] = d.symbol;
  return d;
}

// What can be said of a - b: 1 it holds, 0 it cannot, -1 it depends.
static int decide(const tenon_module *m, uint32_t relation, tenon_dim diff) {
  const tenon_symbol *s = tenon_symbols_look(&m->symbols, diff.symbol);
  if (!s) return tenon_relation_holds(relation, diff.value, 0);
  switch (relation) {
    case TENON_RELATION_EQ:
      return s->min > 0 || s->max < 0 ? 0 : -1;
    case TENON_RELATION_NE:
      return s->min > 0 || s->max < 0 ? 1 : -1;
    case TENON_RELATION_LT:
      return s->max < 0 ? 1 : s->min >= 0 ? 0 : -1;
    default:
      return s->max <= 0 ? 1 : s->min > 0 ? 0 : -1;
  }
}

static bool infer_require(tenon_infer *c, tenon_relation relation, tenon_dim a,
                          tenon_dim b) {
  run *r = (run *)c;
  tenon_dim diff = tenon_symbols_apply(&r->m->symbols, TENON_DIM_SUB, a, b);
  if (tenon_dim_is_none(diff)) return false;
  int known = decide(r->m, relation, diff);
  if (known >= 0) return known;
  if (r->n_required == TENON_MAX_REQUIRED) {
    (void)tenon_inferring_violate(r, "leaves too many conditions to a run",
                                  TENON_MAX_REQUIRED + 1);
    return false;
  }
  r->required[r->n_required++] =
      (tenon_guard){relation, a, b, r->n->op->name, true, r->n->loc};
  return true;
}

static bool infer_element(const tenon_infer *c, int in, int i, tenon_dim *out) {
  return tenon_value_element(rule_api_operand((const run *)c, in), i, out);
}

static void infer_holds(tenon_infer *c, int result, const tenon_dim *elements,
                        int n) {
  run *r = (run *)c;
  tenon_arena *arena = &r->m->arena;
  if (result < 0 || result >= r->n->n_out || n < 0 || n > TENON_MAX_HELD)
    return;
  if (!r->held) {
    r->held = tenon_arena_array(arena, tenon_value, r->n->n_out);
    if (!r->held) return;  // latched
    memset(r->held, 0, r->n->n_out * sizeof *r->held);
  }
  r->held[result].elements = tenon_arena_copy(
      arena, elements, (size_t)n * sizeof *elements, _Alignof(tenon_dim));
  r->held[result].n_elements = r->held[result].elements ? (uint32_t)n : 0;
}

const tenon_infer_api tenon_inferring_api = {sizeof(tenon_infer_api),
                                             infer_in,
                                             infer_group,
                                             infer_constant,
                                             infer_declared,
                                             infer_attrs,
                                             infer_size,
                                             infer_user,
                                             infer_dim,
                                             infer_decided,
                                             infer_results,
                                             infer_out,
                                             infer_fail,
                                             infer_number,
                                             infer_require,
                                             infer_element,
                                             infer_holds};
