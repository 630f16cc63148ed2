// ir/rule/rule_value.c - what a name in a rule stands for, and values of
// attributes.
//
// `$gain` is an attribute of what is replaced, `$x` an operand, of which little
// but the type is known. Of a rule that is only looked at, names must be right
// and values are unknown.
#include "ir/rule/ruling.h"
#include "ir/scalar.h"
#include "ir/turned.h"

const tenon_rule_name *tenon_rule_find(const tenon_ruling *r, const char *name,
                                       size_t size) {
  for (size_t i = 0; i < r->names.count; ++i) {
    const tenon_rule_name *n = &r->names.data[i];
    if (strlen(n->name) == size && memcmp(n->name, name, size) == 0) return n;
  }
  return NULL;
}

tenon_rule_value tenon_rule_unknown(void) {
  tenon_rule_value v = {TENON_RULE_UNKNOWN, {0, 0}, 0, NULL, NULL, 0};
  return v;
}

tenon_rule_value tenon_rule_bool(bool value) {
  tenon_rule_value v = tenon_rule_unknown();
  v.kind = TENON_RULE_BOOL;
  v.dim.value = value;
  return v;
}

tenon_rule_value tenon_rule_int(tenon_dim dim) {
  tenon_rule_value v = tenon_rule_unknown();
  if (!tenon_dim_is_none(dim)) v.kind = TENON_RULE_INT;
  v.dim = dim;
  return v;
}

tenon_rule_value tenon_rule_float(double real) {
  tenon_rule_value v = tenon_rule_unknown();
  v.kind = TENON_RULE_FLOAT;
  v.real = real;
  return v;
}

static tenon_rule_value scalar_value(tenon_scalar s) {
  tenon_rule_value v = tenon_rule_unknown();
  if (s.kind == TENON_KIND_FLOAT) return tenon_rule_float(s.as.f);
  if (s.kind == TENON_KIND_INT) return tenon_rule_int(tenon_dim_fixed(s.as.i));
  if (s.kind == TENON_KIND_BOOL) return tenon_rule_bool(s.as.i != 0);
  v.kind = TENON_RULE_NONE;
  return v;
}

// What cannot be computed: an error where a number is needed.
bool tenon_rule_cannot(tenon_parser *p, const tenon_token *at,
                       tenon_rule_value *out, const char *why) {
  *out = tenon_rule_unknown();
  if (p->ruling->is_soft || !p->ruling->rw) return true;
  return tenon_parser_fail(p, at, "%s", why);
}

bool tenon_rule_faulty(tenon_parser *p, const tenon_token *at,
                       tenon_rule_value *out, const char *why) {
  if (p->ruling->is_soft && !p->ruling->fault) {
    p->ruling->fault = why;
    p->ruling->fault_at = *at;
  }
  return tenon_rule_cannot(p, at, out, why);
}

// ---------------------------------------------------------------------------
// From and to attributes
// ---------------------------------------------------------------------------

static tenon_rule_value dims_item(const tenon_arg *arg, size_t i) {
  return tenon_rule_int(arg->as.dims.data[i]);
}

static tenon_rule_value text_value(const char *text) {
  tenon_rule_value v = tenon_rule_unknown();
  v.kind = TENON_RULE_STR;
  v.text = text;
  return v;
}

static bool list_value(tenon_parser *p, const tenon_arg *arg,
                       tenon_rule_value *out) {
  size_t n = tenon_attr_count(arg);
  tenon_rule_value *items = tenon_arena_array(&p->arena, tenon_rule_value, n);
  if (!items) return tenon_parser_memory(p);
  for (size_t i = 0; i < n; ++i)
    items[i] = arg->kind == TENON_KIND_DIMS ? dims_item(arg, i)
               : arg->kind == TENON_KIND_STRS
                   ? text_value(arg->as.strs.data[i])
                   : scalar_value(tenon_attr_scalar(arg, i));
  *out = tenon_rule_unknown();
  out->kind = TENON_RULE_LIST;
  out->items = items;
  out->count = n;
  return true;
}

// `argument` tells a size from a list of one size; null: by the looks.
static bool from_arg(tenon_parser *p, const tenon_arg *arg,
                     const tenon_argument *argument, tenon_rule_value *out) {
  *out = tenon_rule_unknown();
  bool is_many = argument ? argument->is_list : arg->as.dims.count != 1;
  if (arg->kind == 0) {
    out->kind = TENON_RULE_NONE;
  } else if (arg->kind == TENON_KIND_STR) {
    *out = text_value(arg->as.s);
  } else if (arg->kind == TENON_KIND_DTYPE) {
    out->kind = TENON_RULE_DTYPE;
    out->dim.value = arg->as.i;
  } else if (arg->kind == TENON_KIND_DIMS && !is_many) {
    *out = dims_item(arg, 0);
  } else if (tenon_kind_is_list(arg->kind)) {
    return list_value(p, arg, out);
  } else {
    *out = scalar_value(tenon_attr_scalar(arg, 0));
  }
  return true;
}

static tenon_scalar to_scalar(const tenon_rule_value *v) {
  tenon_scalar s = {0, {0}};
  if (v->kind == TENON_RULE_FLOAT) {
    s.kind = TENON_KIND_FLOAT;
    s.as.f = v->real;
  } else if (v->kind != TENON_RULE_NONE) {
    s.kind = v->kind == TENON_RULE_BOOL ? TENON_KIND_BOOL : TENON_KIND_INT;
    s.as.i = v->dim.value;
  }
  return s;
}

#define ITEMS(name, T, kind, member, item) \
  TENON_PARSER_LIST(name, tenon_rule_value, T, kind, member, item)
ITEMS(items_to_dims, tenon_dim, TENON_KIND_DIMS, dims, list->items[i].dim)
ITEMS(items_to_ints, int64_t, TENON_KIND_INTS, ints, list->items[i].dim.value)
ITEMS(items_to_scalars, tenon_scalar, TENON_KIND_SCALARS, scalars,
      to_scalar(&list->items[i]))
ITEMS(items_to_texts, const char *, TENON_KIND_STRS, strs, list->items[i].text)

static bool list_to_arg(tenon_parser *p, const tenon_token *at,
                        const tenon_rule_value *v, tenon_arg *out) {
  bool is_open = false, all_ints = true, any_unknown = false, is_odd = false;
  bool any_text = false, all_texts = true;
  for (size_t i = 0; i < v->count; ++i) {
    tenon_rule_kind kind = v->items[i].kind;
    any_unknown |= kind == TENON_RULE_UNKNOWN;
    all_ints &= kind == TENON_RULE_INT;
    is_open |= kind == TENON_RULE_INT && v->items[i].dim.symbol != 0;
    any_text |= kind == TENON_RULE_STR;
    all_texts &= kind == TENON_RULE_STR || kind == TENON_RULE_UNKNOWN;
    is_odd |= kind > TENON_RULE_STR;
  }
  if (is_odd || (any_text && !all_texts) || (is_open && !all_ints))
    return tenon_parser_fail(p, at, "a list of what does not go together");
  if (any_unknown) {
    out->kind = TENON_RULE_ANY;
    return true;
  }
  if (any_text) return items_to_texts(p, v, out);
  if (is_open) return items_to_dims(p, v, out);
  return all_ints ? items_to_ints(p, v, out) : items_to_scalars(p, v, out);
}

bool tenon_rule_to_arg(tenon_parser *p, const tenon_token *at,
                       const tenon_rule_value *v, tenon_arg *out) {
  tenon_rule_value one = *v;
  one.items = v;
  one.count = 1;
  if (v->kind == TENON_RULE_LIST) return list_to_arg(p, at, v, out);
  if (v->kind == TENON_RULE_INT && v->dim.symbol != 0)
    return items_to_dims(p, &one, out);
  switch (v->kind) {
    case TENON_RULE_UNKNOWN:
      out->kind = TENON_RULE_ANY;
      return true;
    case TENON_RULE_NONE:
      out->kind = 0;
      return true;
    case TENON_RULE_STR:
      out->kind = TENON_KIND_STR;
      out->as.s = v->text;
      return true;
    case TENON_RULE_FLOAT:
      out->kind = TENON_KIND_FLOAT;
      out->as.f = v->real;
      return true;
    case TENON_RULE_VALUE:
      return tenon_parser_fail(p, at, "a tensor is no value of an attribute");
    default:
      out->kind = v->kind == TENON_RULE_BOOL  ? TENON_KIND_BOOL
                  : v->kind == TENON_RULE_INT ? TENON_KIND_INT
                                              : TENON_KIND_DTYPE;
      out->as.i = v->dim.value;
      return true;
  }
}

// ---------------------------------------------------------------------------
// Names
// ---------------------------------------------------------------------------

static bool rule_value_unknown_name(tenon_parser *p, const tenon_token *at,
                                    const char *name) {
  const tenon_ruling *r = p->ruling;
  tenon_nearest near;
  tenon_nearest_init(&near, name);
  for (size_t i = 0; i < r->names.count; ++i)
    tenon_nearest_feed(&near, r->names.data[i].name);
  return tenon_parser_fail(
      p, at, "'%s' has neither operand nor attribute '%.60s'%s%s%s",
      r->rule->op, name, near.best ? "; did you mean '$" : "",
      near.best ? near.best : "", near.best ? "'?" : "");
}

// $x.dims, $x.rank, $x.dtype, $x.constant, $x.value
static bool member(tenon_parser *p, const tenon_token *at,
                   const tenon_type *type, const tenon_tensor *constant,
                   const char *name, tenon_rule_value *out) {
  tenon_arg dims = {NULL, TENON_KIND_DIMS, {0}};
  bool is_known = type && type->dtype != 0;
  *out = tenon_rule_unknown();
  if (strcmp(name, "constant") == 0) {
    *out = tenon_rule_bool(constant != NULL);
  } else if (strcmp(name, "value") == 0) {
    if (!constant || !constant->data || tenon_count(constant) != 1)
      return tenon_rule_cannot(p, at, out,
                               "'.value' is of a constant with one element");
    tenon_scalar s = tenon_scalar_load(constant->dtype, constant->data);
    *out = scalar_value(s);
    if (s.kind == 0 || constant->quant ||
        (constant->dtype == TENON_U64 && s.as.i < 0))
      return tenon_rule_cannot(p, at, out, "a constant without a number");
  } else if (strcmp(name, "rank") == 0) {
    if (is_known) *out = tenon_rule_int(tenon_dim_fixed(type->rank));
  } else if (strcmp(name, "dtype") == 0) {
    if (is_known) out->kind = TENON_RULE_DTYPE;
    if (is_known) out->dim.value = type->dtype;
  } else if (strcmp(name, "quantized") == 0) {
    if (is_known) *out = tenon_rule_bool(type->quant != NULL);
  } else if (strcmp(name, "dims") == 0) {
    if (!is_known) return true;
    dims.as.dims.data = type->dims;
    dims.as.dims.count = type->rank;
    return list_value(p, &dims, out);
  } else {
    return tenon_parser_fail(p, at,
                             "'.%.60s' is nothing that is known of a tensor; "
                             "expected dims, rank, dtype, quantized, constant "
                             "or value",
                             name);
  }
  return true;
}

static bool operand_value(tenon_parser *p, const tenon_token *at,
                          const tenon_rule_name *n, const char *part,
                          tenon_rule_value *out) {
  bool is_looking = !p->ruling->rw;
  const tenon_value *v = n->n > 0 ? n->list[0] : NULL;
  static const tenon_type nothing = {0};
  *out = tenon_rule_unknown();
  if (n->is_list)
    return tenon_parser_fail(p, at, "'$%s' is a list of tensors", n->name);
  if (is_looking && !part) return true;
  if (is_looking) {
    // Of what is only looked at, no member is known, but its name must be.
    if (!member(p, at, &nothing, NULL, part, out)) return false;
    *out = tenon_rule_unknown();
    return true;
  }
  if (!part) {
    out->kind = v ? TENON_RULE_VALUE : TENON_RULE_NONE;
    return true;
  }
  if (!v) return tenon_rule_cannot(p, at, out, "the operand is absent");
  const tenon_tensor *c = tenon_value_constant(v);
  if (c && tenon_tensor_is_apart(c)) c = NULL;
  return member(p, at, &v->type, c, part, out);
}

static const tenon_argument *argument_of(const tenon_parser *p,
                                         const char *name) {
  const tenon_rewriting *rw = p->ruling->rw;
  if (!rw || p->ruling->rule->n_nodes > 0 || !rw->node->op->schema) return NULL;
  return tenon_schema_find(rw->node->op->schema, name);
}

// At a `$`.
bool tenon_rule_name_value(tenon_parser *p, tenon_rule_value *out) {
  const tenon_ruling *r = p->ruling;
  tenon_parser_next(p);
  const tenon_token at = p->token;
  if (at.kind != TENON_TOKEN_WORD || !at.is_glued ||
      memchr(at.text.data, ':', at.text.size))
    return tenon_parser_expected(p, "a name behind '$'");
  const char *dot = memchr(at.text.data, '.', at.text.size);
  size_t size = dot ? (size_t)(dot - at.text.data) : at.text.size;
  const char *name = tenon_arena_text(&p->arena, at.text.data, size);
  const char *part =
      dot ? tenon_arena_text(&p->arena, dot + 1, at.text.size - size - 1)
          : NULL;
  if (!name || (dot && !part)) return tenon_parser_memory(p);
  tenon_parser_next(p);
  *out = tenon_rule_unknown();
  const tenon_rule_name *n = tenon_rule_find(r, name, size);
  if (!n && strcmp(name, "result") == 0 && part)
    return member(p, &at, r->result, NULL, part, out);
  if (!n) return !r->knows_names || rule_value_unknown_name(p, &at, name);
  if (n->is_operand) return operand_value(p, &at, n, part, out);
  if (part)
    return tenon_parser_fail(p, &at, "'$%s' is an attribute: it has no '.%s'",
                             name, part);
  return !n->arg || from_arg(p, n->arg, argument_of(p, name), out);
}
