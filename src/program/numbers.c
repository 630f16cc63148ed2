// How: ranges go through the interval arithmetic of core/symbol/symbol_range.c,
// exact values through exact arithmetic, so that an overflow is found and not
// saturated away. Solving inverts sums, products and divisions of one unknown.
#include "program/numbers.h"

#include "base/size.h"
#include "program/program.h"

void tenon_numbers_clear(const struct tenon_program *p, tenon_known *known) {
  if (p->n_numbers == 0) return;
  known[0] = (tenon_known){0, 0, true};
  for (uint32_t i = 1; i < p->n_numbers; ++i) {
    const tenon_program_number *n = &p->numbers[i];
    known[i] = (tenon_known){n->min, n->max, false};
    if (n->op != 0) known[i] = (tenon_known){INT64_MIN, INT64_MAX, false};
  }
}

tenon_known tenon_known_of(const tenon_known *known, tenon_dim d) {
  if (d.symbol != 0) return known[d.symbol];
  return (tenon_known){d.value, d.value, true};
}

static bool numbers_evaluate(const tenon_program_number *n,
                             const tenon_known *known, tenon_known *out) {
  tenon_known a = tenon_known_of(known, n->a), b = tenon_known_of(known, n->b);
  tenon_dim_op op = (tenon_dim_op)n->op;
  if (a.is_exact && b.is_exact) {
    int64_t value = 0;
    if (!tenon_dim_compute(op, a.min, b.min, &value)) return false;
    *out = (tenon_known){value, value, true};
    return true;
  }
  tenon_range r = tenon_range_apply(op, (tenon_range){a.min, a.max},
                                    (tenon_range){b.min, b.max});
  *out = (tenon_known){r.min, r.max, false};
  return true;
}

uint32_t tenon_numbers_evaluate(const struct tenon_program *p,
                                tenon_known *known) {
  for (uint32_t i = 1; i < p->n_numbers; ++i) {
    const tenon_program_number *n = &p->numbers[i];
    if (n->op != 0) {
      if (!numbers_evaluate(n, known, &known[i])) return i;
    } else if (!known[i].is_exact &&
               (n->most.symbol != 0 || n->most.value != 0)) {
      int64_t most = tenon_known_of(known, n->most).max;
      if (most < known[i].max) known[i].max = most;
    }
  }
  return 0;
}

// What the unknown side must be for a op b to be `value`; the other side is
// exact.
static bool numbers_invert(tenon_dim_op op, int64_t other, int64_t value,
                           int64_t *out) {
  switch (op) {
    case TENON_DIM_ADD:
      return other != INT64_MIN && tenon_int_add(value, -other, out);
    case TENON_DIM_MUL:
      if (other == 0 || value % other != 0) return false;
      *out = value / other;
      return true;
    default:
      return false;
  }
}

tenon_solution tenon_numbers_solve(const struct tenon_program *p,
                                   tenon_known *known, tenon_dim d,
                                   int64_t value, uint32_t *leaf) {
  *leaf = 0;
  while (d.symbol != 0) {
    const tenon_program_number *n = &p->numbers[d.symbol];
    if (known[d.symbol].is_exact) return TENON_SOLVED_ALREADY;
    if (n->op == 0) {
      *leaf = d.symbol;
      if (value < n->min || value > n->max) return TENON_SOLVED_BY_NONE;
      known[d.symbol] = (tenon_known){value, value, true};
      return TENON_SOLVED;
    }
    tenon_known a = tenon_known_of(known, n->a);
    tenon_known b = tenon_known_of(known, n->b);
    tenon_dim_op op = (tenon_dim_op)n->op;
    if (op != TENON_DIM_ADD && op != TENON_DIM_MUL) return TENON_SOLVED_ALREADY;
    if (a.is_exact == b.is_exact) return TENON_SOLVED_ALREADY;
    if (!numbers_invert(op, a.is_exact ? a.min : b.min, value, &value))
      return TENON_SOLVED_BY_NONE;
    d = a.is_exact ? n->b : n->a;
  }
  return TENON_SOLVED_ALREADY;
}

void tenon_numbers_solvable(const tenon_program_number *numbers, bool *is_known,
                            tenon_dim d) {
  while (d.symbol != 0) {
    const tenon_program_number *n = &numbers[d.symbol];
    if (n->op == 0) {
      is_known[d.symbol] = true;
      return;
    }
    if (n->op != TENON_DIM_ADD && n->op != TENON_DIM_MUL) return;
    bool a = n->a.symbol == 0 || is_known[n->a.symbol];
    bool b = n->b.symbol == 0 || is_known[n->b.symbol];
    if (a == b) return;
    d = a ? n->b : n->a;
  }
}

void tenon_numbers_follow(const tenon_program_number *numbers, size_t n,
                          bool *is_known) {
  for (size_t i = 1; i < n; ++i)
    if (numbers[i].op != 0)
      is_known[i] =
          (numbers[i].a.symbol == 0 || is_known[numbers[i].a.symbol]) &&
          (numbers[i].b.symbol == 0 || is_known[numbers[i].b.symbol]);
}

const tenon_program_guard *tenon_numbers_check(const struct tenon_program *p,
                                               const tenon_known *known) {
  for (uint32_t i = 0; i < p->n_guards; ++i) {
    tenon_known a = tenon_known_of(known, p->guards[i].a);
    tenon_known b = tenon_known_of(known, p->guards[i].b);
    if (a.is_exact && b.is_exact &&
        !tenon_relation_holds(p->guards[i].relation, a.min, b.min))
      return &p->guards[i];
  }
  return NULL;
}
