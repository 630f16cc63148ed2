// ops/aten/aten_formula.h - what the files that read formulas share.
//
// aten_formula.c reads expressions and whole formulas, aten_formula_call.c
// calls, aten_formula_node.c builds nodes.
#ifndef TENON_OPS_ATEN_ATEN_FORMULA_H
#define TENON_OPS_ATEN_ATEN_FORMULA_H

#include <ctype.h>
#include <string.h>

#include "ops/aten/each/each_op.h"

enum {
  TENON_FORMULA_NAMES = 16,
  TENON_FORMULA_OPERANDS = 3,
  TENON_FORMULA_ATTRIBUTES = 4,
  TENON_FORMULA_RESULTS = 4
};

// A null value that is no number is a failed one. Numbers that have no value
// yet get one in the type of what they meet.
typedef struct tenon_term {
  tenon_value *value;
  double number;
  tenon_dim size;
  const char *text;  // of n characters
  size_t n;
  bool is_number, is_size, is_whole, is_truth;
} tenon_term;

typedef struct tenon_formula {
  tenon_rewriter *rw;
  // Reads an expression: calls read their arguments with it.
  tenon_term (*expression)(struct tenon_formula *f);
  tenon_each *e;  // null: numbers have the type of what they meet
  const char *p;
  struct {
    const char *name;
    size_t size;
    tenon_term term;
    tenon_value **out;  // what it is given goes here, too
  } names[TENON_FORMULA_NAMES];
  int n_names;
  int operations;  // counted; nothing is built while `counts`
  bool counts, is_logic;
  int skips;           // more than 0: what is read is not wanted
  bool decides;        // a condition of `if`, of numbers alone
  const char *wrong;   // before what reading failed first; or null
  bool has_exact;      // counted: a number that a 16-bit type does not hold
  const char *refuse;  // what `refuse` says, of n_refuse characters
  size_t n_refuse;
  int n_out;  // results of the next operation that are wanted; 0: one
  tenon_value *out[TENON_FORMULA_RESULTS];
} tenon_formula;

TENON_INLINE tenon_term tenon_formula_wrong(tenon_formula *f) {
  tenon_term t = {0};
  if (!f->wrong) f->wrong = f->p;
  return t;
}

TENON_INLINE bool tenon_formula_take(tenon_formula *f, const char *word) {
  size_t n = strlen(word);
  f->p += strspn(f->p, " ");
  if (strncmp(f->p, word, n) != 0) return false;
  f->p += n;
  return true;
}

TENON_INLINE bool tenon_formula_is_idle(const tenon_formula *f) {
  return f->counts || f->skips > 0 || f->wrong;
}

// Whether numbers have the type in which a node computes.
TENON_INLINE bool tenon_formula_is_typed(const tenon_formula *f) {
  return f->e && f->e->mode != TENON_EACH_PLAIN;
}

TENON_INLINE size_t tenon_formula_word(const char *p) {
  size_t n = 0;
  while (isalnum((unsigned char)p[n]) || p[n] == '_' ||
         (p[n] == ':' && (p[n + 1] == ':' || (n && p[n - 1] == ':'))) ||
         (p[n] == '.' && isalpha((unsigned char)p[n + 1])))
    ++n;
  return n;
}

TENON_INLINE bool tenon_formula_is_word(const char *p, size_t n,
                                        const char *word) {
  return strlen(word) == n && memcmp(p, word, n) == 0;
}

TENON_INLINE int tenon_formula_letter(const char *name, size_t n) {
  static const char letters[] = "xyzw";
  const char *letter = n == 1 ? strchr(letters, *name) : NULL;
  return letter ? (int)(letter - letters) : -1;
}

TENON_INLINE bool tenon_formula_is_bare(const tenon_term *t) {
  return t->is_number && !t->value;
}

TENON_INLINE bool tenon_formula_waits(const tenon_term *t) {
  return t->is_size || tenon_formula_is_bare(t);
}

// A whole number as an integer, the nearest there is. One that a run finds out
// is TENON_UNKNOWN.
TENON_INLINE int64_t tenon_formula_int(const tenon_term *t) {
  if (t->number != t->number) return TENON_UNKNOWN;
  if (t->number >= 0x1p63) return INT64_MAX;
  return t->number <= -0x1p63 ? -INT64_MAX : (int64_t)t->number;
}

// t where a parenthesis ends here.
TENON_INLINE tenon_term tenon_formula_closed(tenon_formula *f, tenon_term t) {
  return tenon_formula_take(f, ")") ? t : tenon_formula_wrong(f);
}

// --- Nodes (aten_formula_node.c) ---------------------------------------------

tenon_term tenon_formula_number(tenon_formula *f, double value, bool is_whole);
tenon_term tenon_formula_truth(bool value);
// 0: it has no value.
tenon_dtype tenon_formula_type(const tenon_formula *f, const tenon_term *t);
// A number in a type; integers wrap to it.
tenon_value *tenon_formula_value(const tenon_formula *f, const tenon_term *t,
                                 tenon_dtype type);
// core::op, or aten::op where the name says so.
tenon_term tenon_formula_node(tenon_formula *f, const char *op,
                              const tenon_term *in, uint32_t n,
                              const tenon_arg *args);
// Operand i of the node, and its argument of this name.
tenon_term tenon_formula_operand(tenon_formula *f, int i);
tenon_term tenon_formula_argument(tenon_formula *f, const char *name, size_t n);

// --- Reading -----------------------------------------------------------------

// Behind the opening parenthesis (aten_formula_call.c).
tenon_term tenon_formula_call(tenon_formula *f, const char *name, size_t n);

#endif  // TENON_OPS_ATEN_ATEN_FORMULA_H
