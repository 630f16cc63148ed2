// core/symbol/symbol_print.c - expressions of sizes as text.

#include "core/symbol/symbol.h"

// Expressions share parts, so their text can be exponentially long: a budget of
// symbols ends it.
typedef struct printer {
  const tenon_symbols *symbols;
  tenon_buf *out;
  int budget;
} printer;

enum { PREFER_SUM = 1, PREFER_PRODUCT, PREFER_ATOM };

static void print_dim(printer *p, tenon_dim d, int least);

static void print_operand(printer *p, tenon_dim d, bool is_float) {
  if (is_float && d.symbol == 0)
    tenon_buf_double(p->out, tenon_dim_real_of(d.value));
  else
    print_dim(p, d, PREFER_SUM);
}

static void print_call(printer *p, const char *name, const tenon_symbol *e) {
  tenon_dim_op op = (tenon_dim_op)e->op;
  bool is_float = tenon_dim_op_is_float(op);
  bool is_unary =
      op == TENON_DIM_FLOAT || op == TENON_DIM_FLOOR || op == TENON_DIM_ROUND;
  tenon_buf_text(p->out, name);
  tenon_buf_char(p->out, '(');
  print_operand(p, e->a, is_float && op != TENON_DIM_FLOAT);
  if (!is_unary) {
    tenon_buf_char(p->out, ',');
    print_operand(p, e->b, is_float);
  }
  tenon_buf_char(p->out, ')');
}

// `+ b`, or `- b` where b has a negative factor.
static void print_addend(printer *p, tenon_dim b) {
  const tenon_symbol *e = tenon_symbols_look(p->symbols, b.symbol);
  if (!e && b.value < 0 && b.value != INT64_MIN) {
    tenon_buf_format(p->out, "-%lld", (long long)-b.value);
    return;
  }
  bool is_negative = e && e->op == TENON_DIM_MUL && e->b.symbol == 0 &&
                     e->b.value < 0 && e->b.value != INT64_MIN;
  tenon_buf_char(p->out, is_negative ? '-' : '+');
  if (!is_negative) {
    print_dim(p, b, PREFER_PRODUCT);
    return;
  }
  bool is_one = e->b.value == -1;
  print_dim(p, e->a, PREFER_PRODUCT);
  if (!is_one) tenon_buf_format(p->out, "*%lld", (long long)-e->b.value);
}

static void print_infix(printer *p, const tenon_symbol *e, int least) {
  bool is_sum = e->op == TENON_DIM_ADD;
  int own = is_sum ? PREFER_SUM : PREFER_PRODUCT;
  if (own < least) tenon_buf_char(p->out, '(');
  print_dim(p, e->a, own);
  if (is_sum) {
    print_addend(p, e->b);
  } else {
    tenon_buf_char(p->out, e->op == TENON_DIM_MUL   ? '*'
                           : e->op == TENON_DIM_DIV ? '/'
                                                    : '%');
    print_dim(p, e->b, PREFER_ATOM);
  }
  if (own < least) tenon_buf_char(p->out, ')');
}

static void print_dim(printer *p, tenon_dim d, int least) {
  const tenon_symbol *e = tenon_symbols_look(p->symbols, d.symbol);
  if (p->budget-- <= 0) {
    tenon_buf_text(p->out, "...");
  } else if (!e && d.symbol != 0) {
    tenon_buf_format(p->out, "?%u", (unsigned)d.symbol);
  } else if (!e) {
    tenon_buf_format(p->out, "%lld", (long long)d.value);
  } else if (e->op == 0) {
    tenon_buf_char(p->out, '?');
    tenon_buf_text(p->out, e->name);
  } else if (e->op == TENON_DIM_MIN || e->op == TENON_DIM_MAX) {
    print_call(p, e->op == TENON_DIM_MIN ? "min" : "max", e);
  } else if (tenon_dim_op_is_float((tenon_dim_op)e->op)) {
    print_call(p, tenon_dim_op_name((tenon_dim_op)e->op), e);
  } else {
    print_infix(p, e, least);
  }
}

void tenon_symbols_print(const tenon_symbols *s, tenon_dim dim,
                         tenon_buf *out) {
  printer p = {s, out, 1000};
  if (tenon_dim_is_none(dim)) {
    tenon_buf_char(out, '?');
    return;
  }
  print_dim(&p, dim, PREFER_SUM);
}
