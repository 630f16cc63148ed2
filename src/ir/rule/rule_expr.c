// ir/rule/rule_expr.c - what `$gain`, `$x.dims[0] / 2` and conditions come to.
//
// Parsed and computed in one go: or, and, not, comparison, sum, product, sign,
// `[index]`, `.member`. Nothing is skipped, so what cannot be computed where it
// does not matter must not be an error: it is unknown, and with a known operand
// `and` and `or` decide all the same, as they do in three-valued logic. Sizes
// that are open stay expressions; a comparison that does not hold for all of
// their values, nor for none, is unknown too.
#include <math.h>

#include "ir/rule/ruling.h"
#include "ir/scalar.h"

static bool expr_parse_or(tenon_parser *p, tenon_rule_value *out, int depth);

// ---------------------------------------------------------------------------
// Numbers
// ---------------------------------------------------------------------------

static bool expr_is_number(const tenon_rule_value *v) {
  return v->kind == TENON_RULE_INT || v->kind == TENON_RULE_FLOAT;
}

static bool expr_is_whole(const tenon_rule_value *v) {
  return v->kind == TENON_RULE_INT && tenon_dim_is_integer(v->dim);
}

static double expr_real_of(const tenon_rule_value *v) {
  return v->kind == TENON_RULE_FLOAT ? v->real : (double)v->dim.value;
}

static double expr_apply_real(tenon_dim_op op, double a, double b) {
  switch (op) {
    case TENON_DIM_ADD:
      return a + b;
    case TENON_DIM_SUB:
      return a - b;
    case TENON_DIM_MUL:
      return a * b;
    case TENON_DIM_DIV:
      return a / b;
    case TENON_DIM_MOD:
      return a - b * floor(a / b);
    case TENON_DIM_MIN:
      return b < a ? b : a;
    default:
      return a < b ? b : a;
  }
}

static bool expr_apply(tenon_parser *p, const tenon_token *at, tenon_dim_op op,
                       tenon_rule_value *a, const tenon_rule_value *b) {
  if (a->kind == TENON_RULE_UNKNOWN || b->kind == TENON_RULE_UNKNOWN) {
    *a = tenon_rule_unknown();
    return true;
  }
  if (!expr_is_number(a) || !expr_is_number(b))
    return tenon_parser_fail(p, at, "'%.*s' is of numbers", (int)at->text.size,
                             at->text.data);
  if (expr_is_whole(a) && expr_is_whole(b)) {
    bool divides = op == TENON_DIM_DIV || op == TENON_DIM_MOD;
    if (divides && b->dim.symbol == 0 && b->dim.value == 0)
      return tenon_rule_faulty(p, at, a, "divides by zero");
    bool is_fixed = a->dim.symbol == 0 && b->dim.symbol == 0;
    *a =
        tenon_rule_int(tenon_symbols_apply(&p->m->symbols, op, a->dim, b->dim));
    if (p->m->arena.failed) return tenon_parser_memory(p);
    if (a->kind == TENON_RULE_INT) return true;
    return (is_fixed ? tenon_rule_faulty : tenon_rule_cannot)(
        p, at, a, "a number that does not fit 64 bits");
  }
  bool is_open = (a->kind == TENON_RULE_INT && a->dim.symbol != 0) ||
                 (b->kind == TENON_RULE_INT && b->dim.symbol != 0);
  if (is_open)
    return tenon_rule_cannot(p, at, a,
                             "a size that is open does not mix with floats");
  *a = tenon_rule_float(expr_apply_real(op, expr_real_of(a), expr_real_of(b)));
  return true;
}

// -1: unknown; else whether `a` and `b` have the relation.
static int compare_dims(const tenon_parser *p, tenon_dim a, tenon_dim b,
                        uint32_t relation) {
  const tenon_symbols *s = &p->m->symbols;
  const tenon_symbol *x = tenon_symbols_look(s, a.symbol);
  const tenon_symbol *y = tenon_symbols_look(s, b.symbol);
  bool has_equal =
      relation == TENON_RELATION_EQ || relation == TENON_RELATION_LE;
  if (!x && !y) return tenon_relation_holds(relation, a.value, b.value);
  if (tenon_dim_equals(a, b)) return has_equal;
  int64_t a_min = x ? x->min : a.value, a_max = x ? x->max : a.value;
  int64_t b_min = y ? y->min : b.value, b_max = y ? y->max : b.value;
  bool apart = a_max < b_min || b_max < a_min;
  switch (relation) {
    case TENON_RELATION_EQ:
      return apart ? 0 : -1;
    case TENON_RELATION_NE:
      return apart ? 1 : -1;
    case TENON_RELATION_LT:
      return a_max < b_min ? 1 : a_min >= b_max ? 0 : -1;
    default:
      return a_max <= b_min ? 1 : a_min > b_max ? 0 : -1;
  }
}

static int compare_reals(double a, double b, uint32_t relation) {
  switch (relation) {
    case TENON_RELATION_EQ:
      return a == b;
    case TENON_RELATION_NE:
      return a != b;
    case TENON_RELATION_LT:
      return a < b;
    default:
      return a <= b;
  }
}

static int are_equal(const tenon_parser *p, const tenon_rule_value *a,
                     const tenon_rule_value *b, int depth) {
  if (a->kind == TENON_RULE_UNKNOWN || b->kind == TENON_RULE_UNKNOWN) return -1;
  if (expr_is_number(a) && expr_is_number(b)) {
    if (expr_is_whole(a) && expr_is_whole(b))
      return compare_dims(p, a->dim, b->dim, TENON_RELATION_EQ);
    if (a->dim.symbol != 0 || b->dim.symbol != 0) return -1;
    return compare_reals(expr_real_of(a), expr_real_of(b), TENON_RELATION_EQ);
  }
  if (a->kind != b->kind) return 0;
  if (a->kind == TENON_RULE_STR) return strcmp(a->text, b->text) == 0;
  if (a->kind != TENON_RULE_LIST)
    return a->kind == TENON_RULE_VALUE ? -1 : a->dim.value == b->dim.value;
  if (a->count != b->count || depth > TENON_MAX_NESTING) return 0;
  int all = 1;
  for (size_t i = 0; i < a->count; ++i) {
    int one = are_equal(p, &a->items[i], &b->items[i], depth + 1);
    if (one == 0) return 0;
    if (one < 0) all = -1;
  }
  return all;
}

static tenon_rule_value three_valued(int truth) {
  return truth < 0 ? tenon_rule_unknown() : tenon_rule_bool(truth != 0);
}

// ---------------------------------------------------------------------------
// Grammar
// ---------------------------------------------------------------------------

static bool parse_items(tenon_parser *p, tenon_rule_value *out, int depth) {
  TENON_VEC(tenon_rule_value) list;
  tenon_rule_value v;
  bool done = true;
  tenon_vec_init(&list, p->m->arena.allocator);
  while (done && !tenon_parser_is(p, ']')) {
    if (list.count > 0) done = tenon_parser_expect(p, ',');
    done = done && expr_parse_or(p, &v, depth + 1);
    if (done && !tenon_vec_push(&list, v)) done = tenon_parser_memory(p);
  }
  done = done && tenon_parser_expect(p, ']');
  *out = tenon_rule_unknown();
  out->kind = TENON_RULE_LIST;
  out->count = list.count;
  if (done) {
    out->items = tenon_arena_copy(&p->arena, list.data, list.count * sizeof v,
                                  _Alignof(tenon_rule_value));
    if (!out->items) done = tenon_parser_memory(p);
  }
  tenon_vec_deinit(&list);
  return done;
}

// min(a, b), max(a, b), len(list)
static bool parse_call(tenon_parser *p, tenon_rule_value *out, int depth) {
  const tenon_token at = p->token;
  tenon_rule_value b;
  tenon_parser_next(p);
  if (!tenon_parser_expect(p, '(') || !expr_parse_or(p, out, depth + 1))
    return false;
  if (tenon_text_is(at.text, "len")) {
    if (out->kind == TENON_RULE_LIST)
      *out = tenon_rule_int(tenon_dim_fixed((int64_t)out->count));
    else if (out->kind != TENON_RULE_UNKNOWN)
      return tenon_parser_fail(p, &at, "'len' is of a list");
    return tenon_parser_expect(p, ')');
  }
  bool is_min = tenon_text_is(at.text, "min");
  return tenon_parser_expect(p, ',') && expr_parse_or(p, &b, depth + 1) &&
         tenon_parser_expect(p, ')') &&
         expr_apply(p, &at, is_min ? TENON_DIM_MIN : TENON_DIM_MAX, out, &b);
}

static bool parse_literal(tenon_parser *p, tenon_rule_value *out) {
  const tenon_token at = p->token;
  tenon_dtype dtype = 0;
  tenon_text text;
  int64_t whole = 0;
  double real = 0;
  if (tenon_parser_is(p, TENON_TOKEN_STRING)) {
    *out = tenon_rule_unknown();
    out->kind = TENON_RULE_STR;
    return tenon_parser_text(p, &out->text);
  }
  if (tenon_parser_accept_word(p, "true") ||
      tenon_parser_accept_word(p, "false")) {
    *out = tenon_rule_bool(tenon_text_is(at.text, "true"));
    return true;
  }
  *out = tenon_rule_unknown();
  if (tenon_parser_accept_word(p, "none")) {
    out->kind = TENON_RULE_NONE;
    return true;
  }
  if (tenon_parser_is(p, TENON_TOKEN_WORD))
    dtype = tenon_dtype_find(p->token.text);
  if (dtype != 0) {
    out->kind = TENON_RULE_DTYPE;
    out->dim.value = dtype;
    tenon_parser_next(p);
    return true;
  }
  if (!tenon_parser_is(p, TENON_TOKEN_NUMBER) &&
      !tenon_parser_is_word(p, "inf") && !tenon_parser_is_word(p, "nan"))
    return tenon_parser_expected(p, "a value");
  if (!tenon_parser_number(p, &text)) return false;
  if (tenon_text_int(text, &whole))
    *out = tenon_rule_int(tenon_dim_fixed(whole));
  else if (tenon_text_double(text, &real))
    *out = tenon_rule_float(real);
  else
    return tenon_parser_fail(p, &at, "'%.*s' is no number",
                             text.size > 40 ? 40 : (int)text.size, text.data);
  return true;
}

static bool expr_parse_atom(tenon_parser *p, tenon_rule_value *out, int depth) {
  if (depth > TENON_MAX_NESTING)
    return tenon_parser_fail(
        p, &p->token, "more than %d brackets in each other", TENON_MAX_NESTING);
  if (tenon_parser_is(p, '$')) return tenon_rule_name_value(p, out);
  if (tenon_parser_accept(p, '('))
    return expr_parse_or(p, out, depth + 1) && tenon_parser_expect(p, ')');
  if (tenon_parser_accept(p, '[')) return parse_items(p, out, depth);
  if (tenon_parser_is_word(p, "min") || tenon_parser_is_word(p, "max") ||
      tenon_parser_is_word(p, "len"))
    return parse_call(p, out, depth);
  return parse_literal(p, out);
}

static bool expr_take_index(tenon_parser *p, const tenon_token *at,
                            tenon_rule_value *list, const tenon_rule_value *i) {
  if (list->kind == TENON_RULE_UNKNOWN || i->kind == TENON_RULE_UNKNOWN) {
    *list = tenon_rule_unknown();
    return true;
  }
  if (list->kind != TENON_RULE_LIST || !expr_is_whole(i) || i->dim.symbol != 0)
    return tenon_parser_fail(p, at, "an index is a number, of a list");
  int64_t n = (int64_t)list->count;
  int64_t k = i->dim.value < 0 ? i->dim.value + n : i->dim.value;
  if (k < 0 || k >= n)
    return tenon_rule_cannot(p, at, list, "an index outside of the list");
  *list = list->items[k];
  return true;
}

static bool parse_postfix(tenon_parser *p, tenon_rule_value *out, int depth) {
  tenon_rule_value i;
  if (!expr_parse_atom(p, out, depth)) return false;
  while (tenon_parser_is(p, '[') && p->token.is_glued) {
    const tenon_token at = p->token;
    tenon_parser_next(p);
    if (!expr_parse_or(p, &i, depth + 1) || !tenon_parser_expect(p, ']') ||
        !expr_take_index(p, &at, out, &i))
      return false;
  }
  return true;
}

static bool parse_sign(tenon_parser *p, tenon_rule_value *out, int depth) {
  const tenon_token at = p->token;
  if (!tenon_parser_accept(p, '-')) return parse_postfix(p, out, depth);
  tenon_rule_value b;
  // One by one, so that they need no recursion.
  bool is_minus = true;
  while (tenon_parser_accept(p, '-'))
    is_minus = !is_minus;
  if (!parse_postfix(p, &b, depth)) return false;
  *out = b;
  if (!is_minus) return true;
  if (b.kind == TENON_RULE_FLOAT) {
    out->real = -b.real;
    return true;
  }
  *out = tenon_rule_int(tenon_dim_fixed(0));
  return expr_apply(p, &at, TENON_DIM_SUB, out, &b);
}

static bool expr_parse_product(tenon_parser *p, tenon_rule_value *out,
                               int depth) {
  if (!parse_sign(p, out, depth)) return false;
  for (;;) {
    const tenon_token at = p->token;
    tenon_rule_value b;
    tenon_dim_op op = at.kind == '*'   ? TENON_DIM_MUL
                      : at.kind == '/' ? TENON_DIM_DIV
                                       : TENON_DIM_MOD;
    if (at.kind != '*' && at.kind != '/' && at.kind != '%') return true;
    tenon_parser_next(p);
    if (!parse_sign(p, &b, depth) || !expr_apply(p, &at, op, out, &b))
      return false;
  }
}

static bool expr_parse_sum(tenon_parser *p, tenon_rule_value *out, int depth) {
  if (!expr_parse_product(p, out, depth)) return false;
  for (;;) {
    const tenon_token at = p->token;
    tenon_rule_value b;
    if (at.kind != '+' && at.kind != '-') return true;
    tenon_parser_next(p);
    if (!expr_parse_product(p, &b, depth) ||
        !expr_apply(p, &at, at.kind == '+' ? TENON_DIM_ADD : TENON_DIM_SUB, out,
                    &b))
      return false;
  }
}

// `==`, `!=`, `<`, `<=`, `>`, `>=`: two characters are glued. 0: none.
static int take_relation(tenon_parser *p) {
  int kind = p->token.kind;
  if (kind != '=' && kind != '!' && kind != '<' && kind != '>') return 0;
  tenon_parser_next(p);
  if (tenon_parser_is(p, '=') && p->token.is_glued) {
    tenon_parser_next(p);
    return kind == '<' ? 'l' : kind == '>' ? 'g' : kind;
  }
  return kind == '<' || kind == '>' ? kind : -1;
}

static bool expr_compare(tenon_parser *p, const tenon_token *at, int relation,
                         tenon_rule_value *a, const tenon_rule_value *b) {
  if (relation == '=' || relation == '!') {
    int truth = are_equal(p, a, b, 0);
    *a = three_valued(truth < 0 || relation == '=' ? truth : !truth);
    return true;
  }
  if (a->kind == TENON_RULE_UNKNOWN || b->kind == TENON_RULE_UNKNOWN) {
    *a = tenon_rule_unknown();
    return true;
  }
  if (!expr_is_number(a) || !expr_is_number(b))
    return tenon_parser_fail(p, at, "'%.*s' compares numbers",
                             (int)at->text.size, at->text.data);
  const tenon_rule_value *x = a, *y = b;
  if (relation == '>' || relation == 'g') {
    x = b;
    y = a;
  }
  bool is_strict = relation == '<' || relation == '>';
  uint32_t r = is_strict ? TENON_RELATION_LT : TENON_RELATION_LE;
  int truth = -1;
  if (expr_is_whole(x) && expr_is_whole(y))
    truth = compare_dims(p, x->dim, y->dim, r);
  else if (x->dim.symbol == 0 && y->dim.symbol == 0)
    truth = compare_reals(expr_real_of(x), expr_real_of(y), r);
  *a = three_valued(truth);
  return true;
}

static bool parse_comparison(tenon_parser *p, tenon_rule_value *out,
                             int depth) {
  if (!expr_parse_sum(p, out, depth)) return false;
  const tenon_token at = p->token;
  tenon_rule_value b;
  int relation = take_relation(p);
  if (relation == 0) return true;
  if (relation < 0)
    return tenon_parser_fail(p, &at, "expected '==' or '!=', found '%.*s'",
                             (int)at.text.size, at.text.data);
  return expr_parse_sum(p, &b, depth) &&
         expr_compare(p, &at, relation, out, &b);
}

// 1, 0, or -1 where it is unknown; -2 after a failure.
static int truth_of(tenon_parser *p, const tenon_token *at,
                    const tenon_rule_value *v) {
  if (v->kind == TENON_RULE_UNKNOWN) return -1;
  if (v->kind == TENON_RULE_BOOL) return v->dim.value != 0;
  (void)tenon_parser_fail(p, at, "expected a condition");
  return -2;
}

static bool expr_parse_not(tenon_parser *p, tenon_rule_value *out, int depth) {
  bool is_inverted = false, is_any = false;
  const tenon_token at = p->token;
  while (tenon_parser_accept_word(p, "not")) {
    is_inverted = !is_inverted;
    is_any = true;
  }
  if (!parse_comparison(p, out, depth)) return false;
  if (!is_any) return true;
  int truth = truth_of(p, &at, out);
  *out = three_valued(truth < 0 || !is_inverted ? truth : !truth);
  return truth != -2;
}

// `and` where `decisive` is 0, `or` where it is 1.
static bool expr_parse_chain(tenon_parser *p, tenon_rule_value *out, int depth,
                             int decisive,
                             bool (*next)(tenon_parser *, tenon_rule_value *,
                                          int)) {
  const char *word = decisive ? "or" : "and";
  const tenon_token first = p->token;
  if (!next(p, out, depth)) return false;
  if (!tenon_parser_is_word(p, word)) return true;
  int all = truth_of(p, &first, out);
  if (all == -2) return false;
  while (tenon_parser_accept_word(p, word)) {
    const tenon_token at = p->token;
    tenon_rule_value b;
    if (!next(p, &b, depth)) return false;
    int one = truth_of(p, &at, &b);
    if (one == -2) return false;
    if (one == decisive || all == decisive)
      all = decisive;
    else if (one < 0)
      all = -1;
  }
  *out = three_valued(all);
  return true;
}

static bool expr_parse_and(tenon_parser *p, tenon_rule_value *out, int depth) {
  return expr_parse_chain(p, out, depth, 0, expr_parse_not);
}

static bool expr_parse_or(tenon_parser *p, tenon_rule_value *out, int depth) {
  return expr_parse_chain(p, out, depth, 1, expr_parse_and);
}

bool tenon_rule_expression(tenon_parser *p, tenon_rule_value *out) {
  return expr_parse_or(p, out, 0);
}

// ---------------------------------------------------------------------------
// Where text IR has a number
// ---------------------------------------------------------------------------

// In a pattern, `$d` takes whatever the attribute is.
static bool take_capture(tenon_parser *p, tenon_arg *out) {
  tenon_parser_next(p);
  const tenon_text t = p->token.text;
  if (p->token.kind != TENON_TOKEN_WORD || !p->token.is_glued ||
      memchr(t.data, '.', t.size) || memchr(t.data, ':', t.size))
    return tenon_parser_expected(p, "a name behind '$'");
  out->kind = TENON_RULE_ANY;
  out->as.s = tenon_arena_text(&p->arena, t.data, t.size);
  tenon_parser_next(p);
  return out->as.s || tenon_parser_memory(p);
}

bool tenon_rule_attribute(tenon_parser *p, tenon_arg *out) {
  const tenon_token at = p->token;
  tenon_rule_value v;
  if (p->ruling->part == TENON_RULE_FROM && tenon_parser_is(p, '$'))
    return take_capture(p, out);
  return expr_parse_or(p, &v, 0) && tenon_rule_to_arg(p, &at, &v, out);
}

bool tenon_rule_size(tenon_parser *p, tenon_dim *out) {
  const tenon_token at = p->token;
  tenon_rule_value v;
  if (!parse_postfix(p, &v, 0)) return false;
  *out = tenon_dim_fixed(1);
  if (v.kind == TENON_RULE_UNKNOWN && !p->ruling->rw) {
    p->is_sized_later = true;
    return true;
  }
  if (!expr_is_whole(&v)) return tenon_parser_fail(p, &at, "expected a size");
  *out = v.dim;
  return true;
}

bool tenon_rule_dtype(tenon_parser *p, tenon_dtype *out) {
  const tenon_token at = p->token;
  tenon_rule_value v;
  if (!parse_postfix(p, &v, 0)) return false;
  *out = TENON_F32;
  if (v.kind == TENON_RULE_UNKNOWN && !p->ruling->rw) return true;
  if (v.kind != TENON_RULE_DTYPE)
    return tenon_parser_fail(p, &at, "expected an element type");
  *out = (tenon_dtype)v.dim.value;
  return true;
}

bool tenon_rule_element(tenon_parser *p, tenon_dtype dtype, void *data,
                        size_t i) {
  const tenon_token at = p->token;
  tenon_rule_value v;
  const tenon_dtype_info *info = tenon_dtype_look(dtype);
  size_t bits = info ? info->bits : 0;
  if (!expr_parse_sum(p, &v, 0)) return false;
  if (v.kind == TENON_RULE_UNKNOWN && !p->ruling->rw) return true;
  bool is_fixed = v.dim.symbol == 0;
  unsigned char *to = (unsigned char *)data + i * (bits / 8);
  bool done = bits > 0 && bits % 8 == 0 && is_fixed;
  if (done && v.kind == TENON_RULE_FLOAT)
    done = tenon_scalar_store(dtype, v.real, to);
  else if (done && (v.kind == TENON_RULE_INT || v.kind == TENON_RULE_BOOL))
    done = tenon_scalar_store_int(dtype, v.dim.value, to);
  else
    done = false;
  return done || tenon_parser_fail(p, &at, "no element of type '%s'",
                                   tenon_dtype_name(dtype));
}
