// core/symbol/symbol_sum.c - bringing sizes to one form.
//
// Sums are flattened and products of sums multiplied out, so that what is equal
// as a polynomial gets one id: n * (m + 1) is n * m + n. In the table a sum is
// a chain ((t0 + t1) + t2) + constant by ascending symbol, a term is a symbol
// or symbol * number, and a product of symbols is a chain likewise. There is no
// subtraction; it is a factor of -1.
//
// Division takes out what divides exactly: (8 * n + 3) / 4 is 2 * n, and
// n * m * 3 / (n * 3) is m. A divisor is taken not to be zero: a run in which
// it is fails anyway. Whatever grows beyond the fixed arrays here stays as it
// was written, which is still right, only no longer unique.
#include "core/symbol/symbol_sum.h"

#include <string.h>

#include "base/size.h"

// ---------------------------------------------------------------------------
// Sums
// ---------------------------------------------------------------------------

static void sum_clear(tenon_sum *sum) {
  sum->count = 0;
  sum->constant = 0;
  sum->failed = sum->full = false;
}

static void remove_term(tenon_sum *sum, int at) {
  --sum->count;
  memmove(&sum->terms[at], &sum->terms[at + 1],
          (size_t)(sum->count - at) * sizeof sum->terms[0]);
}

static void add_term(tenon_sum *sum, uint32_t symbol, int64_t factor) {
  int at = 0;
  while (at < sum->count && sum->terms[at].symbol < symbol)
    ++at;
  if (at < sum->count && sum->terms[at].symbol == symbol) {
    int64_t *old = &sum->terms[at].factor;
    if (!tenon_int_add(*old, factor, old)) sum->failed = true;
    if (*old == 0) remove_term(sum, at);
    return;
  }
  if (factor == 0) return;
  if (sum->count == TENON_SUM_TERMS) {
    sum->full = true;
    return;
  }
  memmove(&sum->terms[at + 1], &sum->terms[at],
          (size_t)(sum->count - at) * sizeof sum->terms[0]);
  sum->terms[at].symbol = symbol;
  sum->terms[at].factor = factor;
  ++sum->count;
}

static void add_constant(tenon_sum *sum, int64_t value, int64_t factor) {
  int64_t product = 0;
  if (value == TENON_UNKNOWN || !tenon_int_mul(value, factor, &product) ||
      !tenon_int_add(sum->constant, product, &sum->constant))
    sum->failed = true;
}

// A number, a symbol, or a symbol times a number.
static void add_simple(const tenon_symbols *s, tenon_sum *sum, tenon_dim d,
                       int64_t factor) {
  const tenon_symbol *e = tenon_symbols_look(s, d.symbol);
  if (!e) {
    add_constant(sum, d.value, factor);
  } else if (e->op == TENON_DIM_MUL && e->b.symbol == 0) {
    if (!tenon_int_mul(factor, e->b.value, &factor)) sum->failed = true;
    add_term(sum, e->a.symbol, factor);
  } else {
    add_term(sum, d.symbol, factor);
  }
}

// Whether `d` is a chain of `op` that can be walked: not too long, and with
// nothing of the kind on its right side.
static bool is_chain(const tenon_symbols *s, uint32_t op, tenon_dim d) {
  const tenon_symbol *e = tenon_symbols_look(s, d.symbol);
  for (int i = 0; e && e->op == op; ++i) {
    const tenon_symbol *right = tenon_symbols_look(s, e->b.symbol);
    if (i == TENON_SUM_TERMS || (right && right->op == op)) return false;
    e = tenon_symbols_look(s, e->a.symbol);
  }
  return true;
}

static void sum_add_all(const tenon_symbols *s, tenon_sum *sum, tenon_dim d,
                        int64_t factor) {
  if (!is_chain(s, TENON_DIM_ADD, d)) {
    add_term(sum, d.symbol, factor);
    return;
  }
  const tenon_symbol *e = tenon_symbols_look(s, d.symbol);
  while (e && e->op == TENON_DIM_ADD) {
    add_simple(s, sum, e->b, factor);
    d = e->a;
    e = tenon_symbols_look(s, d.symbol);
  }
  add_simple(s, sum, d, factor);
}

// The expression of a sum that is neither failed nor full.
static tenon_dim sum_make(tenon_symbols *s, const tenon_sum *sum) {
  tenon_dim all = tenon_dim_fixed(sum->constant);
  for (int i = 0; i < sum->count; ++i) {
    tenon_dim term = {0, sum->terms[i].symbol};
    if (sum->terms[i].factor != 1)
      term = tenon_symbols_node(s, TENON_DIM_MUL, term,
                                tenon_dim_fixed(sum->terms[i].factor));
    if (i > 0 && term.symbol != 0)
      term = tenon_symbols_node(s, TENON_DIM_ADD, all, term);
    if (term.symbol == 0) return TENON_DIM_NONE;
    all = term;
  }
  if (sum->count == 0 || sum->constant == 0) return all;
  return tenon_symbols_node(s, TENON_DIM_ADD, all,
                            tenon_dim_fixed(sum->constant));
}

tenon_dim tenon_sum_add(tenon_symbols *s, tenon_dim a, tenon_dim b,
                        int64_t factor) {
  tenon_sum sum;
  sum_clear(&sum);
  sum_add_all(s, &sum, a, 1);
  sum_add_all(s, &sum, b, factor);
  if (sum.failed) return TENON_DIM_NONE;
  if (!sum.full) return sum_make(s, &sum);
  if (factor != 1) b = tenon_sum_mul(s, b, tenon_dim_fixed(factor));
  if (tenon_dim_is_none(b)) return b;
  return tenon_symbols_node(s, TENON_DIM_ADD, a, b);
}

// ---------------------------------------------------------------------------
// Chains of one operation: products, minima, maxima
// ---------------------------------------------------------------------------

typedef struct chain {
  uint32_t symbols[TENON_SUM_TERMS];  // ascending
  int count;
  bool full;
  bool has_number;  // of a minimum or maximum
  int64_t number;
} chain;

static void add_link(chain *c, tenon_dim_op op, tenon_dim d) {
  if (d.symbol == 0) {
    bool is_better =
        op == TENON_DIM_MIN ? d.value < c->number : d.value > c->number;
    if (!c->has_number || is_better) c->number = d.value;
    c->has_number = true;
    return;
  }
  int at = 0;
  while (at < c->count && c->symbols[at] < d.symbol)
    ++at;
  bool is_there = at < c->count && c->symbols[at] == d.symbol;
  if (is_there && op != TENON_DIM_MUL) return;
  if (c->count == TENON_SUM_TERMS) {
    c->full = true;
    return;
  }
  memmove(&c->symbols[at + 1], &c->symbols[at],
          (size_t)(c->count - at) * sizeof c->symbols[0]);
  c->symbols[at] = d.symbol;
  ++c->count;
}

static void add_links(const tenon_symbols *s, chain *c, tenon_dim_op op,
                      tenon_dim d) {
  const tenon_symbol *e = tenon_symbols_look(s, d.symbol);
  if (is_chain(s, op, d)) {
    for (; e && e->op == (uint32_t)op; e = tenon_symbols_look(s, d.symbol)) {
      add_link(c, op, e->b);
      d = e->a;
    }
  }
  add_link(c, op, d);
}

static tenon_dim make_chain(tenon_symbols *s, tenon_dim_op op, const chain *c) {
  tenon_dim all = tenon_dim_fixed(1);
  for (int i = 0; i < c->count; ++i) {
    tenon_dim next = {0, c->symbols[i]};
    all = i == 0 ? next : tenon_symbols_node(s, op, all, next);
    if (all.symbol == 0) return TENON_DIM_NONE;
  }
  if (!c->has_number) return all;
  return tenon_symbols_node(s, op, all, tenon_dim_fixed(c->number));
}

// For operands that have an order of their own only by their ids.
static tenon_dim commutes(tenon_symbols *s, tenon_dim_op op, tenon_dim a,
                          tenon_dim b) {
  bool swap = a.symbol == 0 || (b.symbol != 0 && b.symbol < a.symbol);
  return tenon_symbols_node(s, op, swap ? b : a, swap ? a : b);
}

static tenon_dim sum_join(tenon_symbols *s, tenon_dim_op op, tenon_dim a,
                          tenon_dim b) {
  chain c;
  memset(&c, 0, sizeof c);
  add_links(s, &c, op, a);
  add_links(s, &c, op, b);
  return c.full ? commutes(s, op, a, b) : make_chain(s, op, &c);
}

tenon_dim tenon_sum_extreme(tenon_symbols *s, tenon_dim_op op, tenon_dim a,
                            tenon_dim b) {
  bool is_min = op == TENON_DIM_MIN;
  tenon_sum difference;
  sum_clear(&difference);
  sum_add_all(s, &difference, a, 1);
  sum_add_all(s, &difference, b, -1);
  if (!difference.failed && !difference.full && difference.count == 0)
    return (difference.constant < 0) == is_min ? a : b;
  const tenon_symbol *x = tenon_symbols_look(s, a.symbol);
  const tenon_symbol *y = tenon_symbols_look(s, b.symbol);
  int64_t a_min = x ? x->min : a.value, a_max = x ? x->max : a.value;
  int64_t b_min = y ? y->min : b.value, b_max = y ? y->max : b.value;
  if (a_max <= b_min) return is_min ? a : b;
  if (b_max <= a_min) return is_min ? b : a;
  return sum_join(s, op, a, b);
}

// ---------------------------------------------------------------------------
// Products
// ---------------------------------------------------------------------------

// Adds the i-th term of a times the j-th of b; behind the last term stands the
// constant.
static void add_product(tenon_symbols *s, tenon_sum *sum, const tenon_sum *a,
                        int i, const tenon_sum *b, int j) {
  int64_t x = i < a->count ? a->terms[i].factor : a->constant;
  int64_t y = j < b->count ? b->terms[j].factor : b->constant;
  int64_t factor = 0;
  if (!tenon_int_mul(x, y, &factor)) sum->failed = true;
  if (sum->failed || sum->full || factor == 0) return;
  tenon_dim left = {0, i < a->count ? a->terms[i].symbol : 0};
  tenon_dim right = {0, j < b->count ? b->terms[j].symbol : 0};
  tenon_dim all = left.symbol != 0 ? left : right;
  if (left.symbol != 0 && right.symbol != 0) {
    all = sum_join(s, TENON_DIM_MUL, left, right);
    if (all.symbol == 0) sum->failed = true;
  }
  if (all.symbol == 0) {
    add_constant(sum, factor, 1);
  } else {
    add_term(sum, all.symbol, factor);
  }
}

tenon_dim tenon_sum_mul(tenon_symbols *s, tenon_dim a, tenon_dim b) {
  tenon_sum left, right, sum;
  sum_clear(&left);
  sum_clear(&right);
  sum_clear(&sum);
  sum_add_all(s, &left, a, 1);
  sum_add_all(s, &right, b, 1);
  if (left.failed || right.failed) return TENON_DIM_NONE;
  bool is_small = (left.count + 1) * (right.count + 1) <= 4 * TENON_SUM_TERMS;
  if (left.full || right.full || !is_small)
    return commutes(s, TENON_DIM_MUL, a, b);
  for (int i = 0; i <= left.count; ++i) {
    for (int j = 0; j <= right.count; ++j)
      add_product(s, &sum, &left, i, &right, j);
  }
  if (sum.failed) return TENON_DIM_NONE;
  return sum.full ? commutes(s, TENON_DIM_MUL, a, b) : sum_make(s, &sum);
}

// ---------------------------------------------------------------------------
// Division
// ---------------------------------------------------------------------------

// Divides a product of symbols by another; both without numbers. The result may
// be the number 1. False when it does not divide.
static bool divide_product(tenon_symbols *s, uint32_t a, uint32_t b,
                           tenon_dim *out) {
  tenon_dim whole = {0, a}, part = {0, b};
  chain x, y, rest;
  memset(&x, 0, sizeof x);
  memset(&y, 0, sizeof y);
  memset(&rest, 0, sizeof rest);
  add_links(s, &x, TENON_DIM_MUL, whole);
  add_links(s, &y, TENON_DIM_MUL, part);
  int j = 0;
  for (int i = 0; i < x.count; ++i) {
    if (j < y.count && x.symbols[i] == y.symbols[j]) {
      ++j;
    } else {
      rest.symbols[rest.count++] = x.symbols[i];
    }
  }
  if (x.full || y.full || j < y.count) return false;
  *out = make_chain(s, TENON_DIM_MUL, &rest);
  return true;
}

// The quotient when every term of `a` divides by the only term of `b`.
static bool divide_terms(tenon_symbols *s, const tenon_sum *a,
                         const tenon_sum *b, tenon_sum *out) {
  if (b->count != 1 || b->constant != 0 || a->constant != 0) return false;
  int64_t divisor = b->terms[0].factor;
  for (int i = 0; i < a->count; ++i) {
    int64_t factor = 0;
    tenon_dim rest = TENON_DIM_NONE;
    if (tenon_floor_mod(a->terms[i].factor, divisor) != 0 ||
        !tenon_floor_div(a->terms[i].factor, divisor, &factor) ||
        !divide_product(s, a->terms[i].symbol, b->terms[0].symbol, &rest))
      return false;
    sum_add_all(s, out, rest, factor);
  }
  return !out->failed && !out->full;
}

// The number k when a = k * b.
static bool divide_sums(const tenon_sum *a, const tenon_sum *b, int64_t *k) {
  int64_t product = 0;
  if (a->count != b->count || b->count == 0) return false;
  if (!tenon_floor_div(a->terms[0].factor, b->terms[0].factor, k)) return false;
  for (int i = 0; i < a->count; ++i) {
    if (a->terms[i].symbol != b->terms[i].symbol ||
        !tenon_int_mul(b->terms[i].factor, *k, &product) ||
        product != a->terms[i].factor)
      return false;
  }
  return tenon_int_mul(b->constant, *k, &product) && product == a->constant;
}

// Splits a = n * quotient + rest with a number n > 0: the rest has the factors
// that n does not divide, and a constant from 0 to n - 1.
static void sum_split(const tenon_sum *a, int64_t n, tenon_sum *quotient,
                      tenon_sum *rest) {
  sum_clear(quotient);
  sum_clear(rest);
  for (int i = 0; i < a->count; ++i) {
    int64_t factor = a->terms[i].factor;
    if (factor % n == 0) {
      add_term(quotient, a->terms[i].symbol, factor / n);
    } else {
      add_term(rest, a->terms[i].symbol, factor);
    }
  }
  (void)tenon_floor_div(a->constant, n, &quotient->constant);
  rest->constant = tenon_floor_mod(a->constant, n);
}

static bool is_below(const tenon_symbols *s, tenon_dim d, int64_t n) {
  const tenon_symbol *e = tenon_symbols_look(s, d.symbol);
  int64_t min = e ? e->min : d.value, max = e ? e->max : d.value;
  return min >= 0 && max < n;
}

// (x / m) / n is x / (m * n) for positive numbers.
static tenon_dim divide_again(tenon_symbols *s, tenon_dim a, int64_t n) {
  const tenon_symbol *e = tenon_symbols_look(s, a.symbol);
  int64_t product = 0;
  if (e && e->op == TENON_DIM_DIV && e->b.symbol == 0 && e->b.value > 0 &&
      tenon_int_mul(e->b.value, n, &product)) {
    a = e->a;
    n = product;
  }
  return tenon_symbols_node(s, TENON_DIM_DIV, a, tenon_dim_fixed(n));
}

static tenon_dim divide_by_number(tenon_symbols *s, const tenon_sum *a,
                                  int64_t n) {
  tenon_sum quotient, rest;
  sum_split(a, n, &quotient, &rest);
  if (rest.count == 0) return sum_make(s, &quotient);
  tenon_dim left = sum_make(s, &rest);
  if (left.symbol == 0) return TENON_DIM_NONE;
  if (is_below(s, left, n)) return sum_make(s, &quotient);
  left = divide_again(s, left, n);
  if (left.symbol == 0) return TENON_DIM_NONE;
  add_term(&quotient, left.symbol, 1);
  return quotient.full ? TENON_DIM_NONE : sum_make(s, &quotient);
}

tenon_dim tenon_sum_div(tenon_symbols *s, tenon_dim a, tenon_dim b) {
  tenon_sum left, right, quotient;
  int64_t k = 0;
  sum_clear(&left);
  sum_clear(&right);
  sum_clear(&quotient);
  bool is_number = b.symbol == 0 && b.value != INT64_MIN;
  int64_t sign = is_number && b.value < 0 ? -1 : 1;
  sum_add_all(s, &left, a, sign);
  sum_add_all(s, &right, b, sign);
  if (left.failed || right.failed) return TENON_DIM_NONE;
  if (left.full || right.full)
    return tenon_symbols_node(s, TENON_DIM_DIV, a, b);
  if (is_number) return divide_by_number(s, &left, right.constant);
  if (left.count == 0 && left.constant == 0) return a;
  if (divide_sums(&left, &right, &k)) return tenon_dim_fixed(k);
  if (divide_terms(s, &left, &right, &quotient)) return sum_make(s, &quotient);
  return tenon_symbols_node(s, TENON_DIM_DIV, a, b);
}

static tenon_dim modulo_number(tenon_symbols *s, const tenon_sum *a,
                               int64_t n) {
  tenon_sum rest;
  sum_clear(&rest);
  for (int i = 0; i < a->count; ++i)
    add_term(&rest, a->terms[i].symbol, tenon_floor_mod(a->terms[i].factor, n));
  rest.constant = tenon_floor_mod(a->constant, n);
  tenon_dim left = sum_make(s, &rest);
  if (left.symbol == 0 || is_below(s, left, n)) return left;
  return tenon_symbols_node(s, TENON_DIM_MOD, left, tenon_dim_fixed(n));
}

tenon_dim tenon_sum_mod(tenon_symbols *s, tenon_dim a, tenon_dim b) {
  tenon_sum left, right, quotient;
  int64_t k = 0;
  sum_clear(&left);
  sum_clear(&right);
  sum_clear(&quotient);
  sum_add_all(s, &left, a, 1);
  sum_add_all(s, &right, b, 1);
  if (left.failed || right.failed) return TENON_DIM_NONE;
  if (left.full || right.full)
    return tenon_symbols_node(s, TENON_DIM_MOD, a, b);
  if (b.symbol == 0 && b.value > 0) return modulo_number(s, &left, b.value);
  if (left.count == 0 && b.symbol == 0)
    return tenon_dim_fixed(tenon_floor_mod(left.constant, b.value));
  if (left.count == 0 && left.constant == 0) return a;
  if (divide_sums(&left, &right, &k)) return tenon_dim_fixed(0);
  if (divide_terms(s, &left, &right, &quotient)) return tenon_dim_fixed(0);
  return tenon_symbols_node(s, TENON_DIM_MOD, a, b);
}
