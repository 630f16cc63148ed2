// read/pt2/symbol/pt2_expr.h - expressions over sizes, as torch writes them in
// text.
//
// Both forms: as Python would print them, "2*s0 + 1", and as sympy's srepr
// does, "Add(Mul(Integer(2), Symbol('s0', integer=True)), Integer(1))". Nothing
// is evaluated but arithmetic on integers and symbols. What is no integer in
// between, Rational(1, 2), Float('1.5') or IntTrueDiv, is kept as a fraction
// until the end. A condition, "s0 < 4 or not s0 % 3 == 1", is the integer 0
// or 1.
#ifndef TENON_READ_PT2_EXPR_H
#define TENON_READ_PT2_EXPR_H

#include "base/text.h"
#include "core/symbol/symbol.h"

// Nesting of calls and parentheses, and bytes of one expression.
#define TENON_PT2_EXPR_DEPTH 200
#define TENON_PT2_EXPR_SIZE 65536

typedef struct tenon_pt2_expr {
  tenon_symbols *symbols;
  // Each symbol, when it is met; false: no such symbol may stand here.
  // `is_size`: written as positive.
  bool (*symbol)(void *self, const char *name, bool is_size, tenon_dim *out);
  void *self;
  char *error;  // filled on failure
  size_t error_size;
  bool is_python;  // "/" makes a float, as in Python; else a fraction
} tenon_pt2_expr;

typedef enum tenon_pt2_expr_result {
  TENON_PT2_EXPR_OK,
  TENON_PT2_EXPR_BAD,          // no expression
  TENON_PT2_EXPR_UNSUPPORTED,  // an expression that is no size: a float, a
                               // relation, a function that sizes cannot have
  TENON_PT2_EXPR_MEMORY
} tenon_pt2_expr_result;

// How relations are written, none before one that begins with it: of those that
// are turned the right side comes first.
typedef struct tenon_relation_token {
  const char *token;
  uint32_t relation;
  bool is_turned;
} tenon_relation_token;
enum { TENON_PT2_RELATIONS = 6 };
extern const tenon_relation_token tenon_pt2_relations[TENON_PT2_RELATIONS];

// All of `text` as a fraction of two sizes: what a float is that sizes make.
tenon_pt2_expr_result tenon_pt2_expr_fraction(const tenon_pt2_expr *with,
                                              const char *text, tenon_dim *up,
                                              tenon_dim *down);
// All of `text` as a condition: 1 where it holds, else 0.
tenon_pt2_expr_result tenon_pt2_expr_truth(const tenon_pt2_expr *with,
                                           const char *text, tenon_dim *out);
// All of `text` as a size.
tenon_pt2_expr_result tenon_pt2_expr_parse(const tenon_pt2_expr *with,
                                           const char *text, tenon_dim *out);

#endif  // TENON_READ_PT2_EXPR_H
