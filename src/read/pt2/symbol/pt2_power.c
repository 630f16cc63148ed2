// How: a power of a size grows or falls with it, so comparing it with a number
// is comparing integers: x ** 0.5 < 3.5 where 4 x < 49. Python's floats are
// within a unit in the last place of that, and exact where the power is. All
// numbers here are so short that a power which is not the number is further
// from it than that; longer ones, such as 0.1, are left.
#include "read/pt2/symbol/pt2_power.h"

#include <string.h>

#include "base/text.h"

#define MOST_UP (INT64_C(1) << 24)
#define MOST_DOWN (INT64_C(1) << 12)
#define MOST_EXPONENT 8

typedef enum compared { EQ, NE, LT, LE, GT, GE } compared;

// up / down, its root, or base to the power of up.
typedef struct power {
  enum { WHOLE, ROOT, EXPONENT } kind;
  tenon_dim up, down, size;
  int64_t base, least;  // least: of size
  bool is_cut;
} power;

typedef struct made {
  const tenon_pt2_expr *with;
  tenon_guard *guards;
  int n;  // -1: no such condition
} made;

bool tenon_pt2_has_power(const char *text) {
  return strstr(text, "**") || strstr(text, "_sym_sqrt");
}

// ---------------------------------------------------------------------------
// Text
// ---------------------------------------------------------------------------

// Where `token` stands outside of parentheses for the last time; the size of
// the text where it does not. A "*" is not half of a "**".
static size_t find_last(tenon_text t, const char *token) {
  const size_t size = strlen(token);
  size_t found = t.size;
  int depth = 0;
  for (size_t i = 0; i + size <= t.size; ++i) {
    depth += (t.data[i] == '(') - (t.data[i] == ')');
    if (depth != 0 || memcmp(t.data + i, token, size) != 0) continue;
    found = i;
    if (size == 1 && i + 1 < t.size && t.data[i + 1] == token[0]) {
      found = t.size;
      ++i;
    }
  }
  return found;
}

// A name, a number, a call, or what stands in parentheses: nothing that binds
// less than a power.
static bool is_atom(tenon_text t) {
  int depth = 0;
  for (size_t i = 0; i < t.size; ++i) {
    depth += (t.data[i] == '(') - (t.data[i] == ')');
    if (depth == 0 && strchr("+-*/% ", t.data[i])) return false;
  }
  return t.size > 0 && depth == 0;
}

// What stands in the parentheses of a call of that name that is all of t.
static bool take_call(tenon_text t, const char *name, tenon_text *out) {
  const size_t size = strlen(name);
  int depth = 0;
  if (t.size < size + 2 || memcmp(t.data, name, size) != 0 ||
      t.data[size] != '(')
    return false;
  for (size_t i = size; i < t.size; ++i) {
    depth += (t.data[i] == '(') - (t.data[i] == ')');
    if (depth == 0 && i + 1 < t.size) return false;
  }
  *out = tenon_text_trim((tenon_text){t.data + size + 1, t.size - size - 2});
  return depth == 0;
}

static bool pt2_power_parse(const made *m, tenon_text t, tenon_dim *up,
                            tenon_dim *down) {
  char text[256];
  if (t.size == 0 || t.size >= sizeof text) return false;
  memcpy(text, t.data, t.size);
  text[t.size] = 0;
  return tenon_pt2_expr_fraction(m->with, text, up, down) == TENON_PT2_EXPR_OK;
}

static bool parse_size(const made *m, tenon_text t, tenon_dim *out) {
  tenon_dim down;
  return pt2_power_parse(m, t, out, &down) && tenon_dim_is_fixed(down) &&
         down.value == 1;
}

// A fraction of two numbers that are short.
static bool pt2_power_parse_number(const made *m, tenon_text t, int64_t *up,
                                   int64_t *down) {
  tenon_dim a, b;
  if (!pt2_power_parse(m, t, &a, &b) || !tenon_dim_is_fixed(a) ||
      !tenon_dim_is_fixed(b))
    return false;
  *up = a.value;
  *down = b.value;
  return a.value <= MOST_UP && a.value >= -MOST_UP && b.value > 0 &&
         b.value <= MOST_DOWN;
}

// ---------------------------------------------------------------------------
// Powers
// ---------------------------------------------------------------------------

static tenon_dim pt2_power_times(made *m, tenon_dim a, tenon_dim b) {
  tenon_dim d = tenon_symbols_apply(m->with->symbols, TENON_DIM_MUL, a, b);
  if (tenon_dim_is_none(d)) m->n = -1;
  return d;
}

// The size to the power of up / down, a number of halves.
static bool raise_size(made *m, power *p, int64_t up, int64_t down) {
  const tenon_dim one = tenon_dim_fixed(1);
  tenon_dim d = one;
  if (down > 2 || up > MOST_EXPONENT || up < -MOST_EXPONENT) return false;
  for (int64_t i = 0; i < (up < 0 ? -up : up); ++i)
    d = pt2_power_times(m, d, p->size);
  p->kind = down == 2 ? ROOT : WHOLE;
  p->up = up < 0 ? one : d;
  p->down = up < 0 ? d : one;
  p->least = up < 0 ? 1 : down == 2 ? 0 : INT64_MIN;
  return m->n >= 0;
}

// A factor in front, that scales a float without rounding it.
static bool pt2_power_scale(made *m, power *p, tenon_text t) {
  int64_t up, down;
  if (p->kind == EXPONENT || !pt2_power_parse_number(m, t, &up, &down) ||
      up < 1 || (up & (up - 1)) != 0 || up > MOST_DOWN ||
      (down & (down - 1)) != 0)
    return false;
  for (int i = 0; i < (p->kind == ROOT ? 2 : 1); ++i) {
    p->up = pt2_power_times(m, p->up, tenon_dim_fixed(up));
    p->down = pt2_power_times(m, p->down, tenon_dim_fixed(down));
  }
  return m->n >= 0;
}

// What stands in as many parentheses as there are around all of it.
static tenon_text pt2_power_unwrap(tenon_text t) {
  tenon_text inside;
  for (t = tenon_text_trim(t); take_call(t, "", &inside);)
    t = inside;
  return t;
}

static bool read_power(made *m, tenon_text t, power *p);

// A number by a power, as a scale of attention is: 1.0 / n ** 0.5. Python
// rounds twice, which is still within two units of the last place.
static bool read_inverse(made *m, tenon_text number, tenon_text below,
                         power *p) {
  below = pt2_power_unwrap(below);
  if (find_last(below, "/") < below.size || !read_power(m, below, p) ||
      p->is_cut || p->kind == EXPONENT)
    return false;
  const tenon_dim up = p->up;
  p->up = p->down;
  p->down = up;
  // Not of 0, and not of what may be negative.
  p->least = 1;
  return pt2_power_scale(m, p, number);
}

static bool read_power(made *m, tenon_text t, power *p) {
  tenon_text inside, factor = {NULL, 0};
  int64_t up, down;
  memset(p, 0, sizeof *p);
  t = pt2_power_unwrap(t);
  const size_t line = find_last(t, "/");
  if (line < t.size)
    return read_inverse(m, tenon_text_trim((tenon_text){t.data, line}),
                        (tenon_text){t.data + line + 1, t.size - line - 1}, p);
  p->is_cut = take_call(t, "math.trunc", &inside);
  if (p->is_cut) t = inside;
  const size_t at = find_last(t, "**");
  tenon_text base = tenon_text_trim((tenon_text){t.data, at});
  const size_t star = find_last(base, "*");
  if (star < base.size) {
    factor = tenon_text_trim((tenon_text){base.data, star});
    base = tenon_text_trim(
        (tenon_text){base.data + star + 1, base.size - star - 1});
  }
  if (!is_atom(base) || (factor.data && !is_atom(factor))) return false;
  if (at == t.size) {
    if (!take_call(base, "torch._sym_sqrt", &inside) ||
        !parse_size(m, inside, &p->size) || !raise_size(m, p, 1, 2))
      return false;
    return factor.size == 0 || pt2_power_scale(m, p, factor);
  }
  const tenon_text by =
      tenon_text_trim((tenon_text){t.data + at + 2, t.size - at - 2});
  const bool is_minus = by.data[0] == '-';
  if (!is_atom((tenon_text){by.data + is_minus, by.size - is_minus}))
    return false;
  if (pt2_power_parse_number(m, by, &up, &down)) {
    if (take_call(base, "torch.sym_float", &inside)) base = inside;
    return parse_size(m, base, &p->size) && raise_size(m, p, up, down) &&
           (factor.size == 0 || pt2_power_scale(m, p, factor));
  }
  // Of integers; a float to the power of a size rounds as its library does.
  p->kind = EXPONENT;
  return factor.size == 0 && !memchr(base.data, '.', base.size) &&
         pt2_power_parse_number(m, base, &p->base, &down) && down == 1 &&
         p->base >= 2 && parse_size(m, by, &p->up);
}

// ---------------------------------------------------------------------------
// Comparing
// ---------------------------------------------------------------------------

static void pt2_power_add(made *m, compared how, tenon_dim a, tenon_dim b) {
  static const uint32_t relations[] = {TENON_RELATION_EQ, TENON_RELATION_NE,
                                       TENON_RELATION_LT, TENON_RELATION_LE,
                                       TENON_RELATION_LT, TENON_RELATION_LE};
  const bool turns = how == GT || how == GE;
  if (m->n < 0) return;
  m->guards[m->n++] =
      (tenon_guard){relations[how], turns ? b : a, turns ? a : b, "", false, 0};
}

static void pt2_power_add_truth(made *m, bool holds) {
  pt2_power_add(m, EQ, tenon_dim_fixed(0), tenon_dim_fixed(holds ? 0 : 1));
}

// base ** e, which is at least 1, and an integer.
static void compare_exponent(made *m, const power *p, compared how,
                             int64_t number) {
  int64_t e = 0, value = 1;
  for (; value < number; ++e)
    value *= p->base;  // numbers are short
  const tenon_dim at = tenon_dim_fixed(e), zero = tenon_dim_fixed(0);
  pt2_power_add(m, GE, p->up, zero);  // what is below is a fraction in Python
  if (number == value)
    pt2_power_add(m, how, p->up, at);
  else if (how == EQ || how == NE)
    pt2_power_add_truth(m, how == NE);
  else
    pt2_power_add(m, how == LT || how == LE ? LT : GE, p->up, at);
}

static void pt2_power_compare(made *m, const power *p, compared how, int64_t up,
                              int64_t down) {
  if (up < 0 && p->least != INT64_MIN) {  // where it is not negative
    pt2_power_add_truth(m, how == NE || how == GT || how == GE);
    return;
  }
  const bool is_root = p->kind == ROOT;
  pt2_power_add(
      m, how,
      pt2_power_times(m, p->up, tenon_dim_fixed(is_root ? down * down : down)),
      pt2_power_times(m, p->down, tenon_dim_fixed(is_root ? up * up : up)));
}

// Without its fraction.
static void compare_cut(made *m, const power *p, compared how, int64_t up,
                        int64_t down) {
  if (down != 1 || (how == NE && up != 0)) {
    m->n = -1;
    return;
  }
  if (how == NE) up = 1;
  if (how == EQ || how == NE || how == GE) pt2_power_compare(m, p, GE, up, 1);
  if (how == GT) pt2_power_compare(m, p, GE, up + 1, 1);
  if (how == LT) pt2_power_compare(m, p, LT, up, 1);
  if (how == EQ || how == LE) pt2_power_compare(m, p, LT, up + 1, 1);
}

static compared compared_of(uint32_t relation, bool is_turned) {
  if (relation == TENON_RELATION_EQ) return EQ;
  if (relation == TENON_RELATION_NE) return NE;
  if (relation == TENON_RELATION_LT) return is_turned ? GT : LT;
  return is_turned ? GE : LE;
}

int tenon_pt2_power_guards(const tenon_pt2_expr *with, const char *left,
                           uint32_t relation, bool is_turned, const char *right,
                           tenon_guard out[TENON_PT2_POWER_GUARDS]) {
  made m = {with, out, 0};
  const bool is_left = tenon_pt2_has_power(left);
  const bool is_equal =
      relation == TENON_RELATION_EQ || relation == TENON_RELATION_NE;
  power p;
  int64_t up, down;
  if (is_left == tenon_pt2_has_power(right) ||
      !read_power(&m, tenon_text_of(is_left ? left : right), &p) ||
      !pt2_power_parse_number(
          &m, tenon_text_trim(tenon_text_of(is_left ? right : left)), &up,
          &down))
    return -1;
  const compared how =
      compared_of(relation, is_equal ? false : is_turned != !is_left);
  if (p.kind == EXPONENT) {
    if (down != 1) return -1;
    compare_exponent(&m, &p, how, up);
    return m.n;
  }
  if (p.least != INT64_MIN)
    pt2_power_add(&m, GE, p.size, tenon_dim_fixed(p.least));
  // An integer to a positive integer is one.
  const bool is_integer =
      p.least == INT64_MIN && tenon_dim_is_fixed(p.down) && p.down.value == 1;
  if (!p.is_cut || is_integer)
    pt2_power_compare(&m, &p, how, up, down);
  else if (p.least == INT64_MIN)
    return -1;
  else
    compare_cut(&m, &p, how, up, down);
  return m.n;
}
