// core/symbol/symbol.h - sizes that are not numbers yet.
//
// A table of expressions, each hash-consed: equal expressions have equal ids,
// so two dimensions are provably equal when their ids are. Id 0 is no symbol.
// Leaves are named and have a range; everything that is constant folds to a
// number. Sums and products are brought to one order of operands first.
//
// A leaf may also be a float or a boolean that a step finds out (`item`). It
// is no size, and integers are made of it by TENON_DIM_FLOOR and _ROUND only.
// Its tenon_dim has the kind in `value`, as that of an expression of floats
// has; a float that is fixed is its bits, and ends of its range are bits.
#ifndef TENON_CORE_SYMBOL_H
#define TENON_CORE_SYMBOL_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"
#include "core/dim.h"
#include "tenon/ext/lower.h"

typedef struct tenon_symbol {
  const char *name;  // of a leaf; else null
  uint32_t op;       // tenon_dim_op of an expression; 0: a leaf
  tenon_dim a, b;    // of an expression
  int64_t min, max;  // inclusive
  int64_t stored;    // of a leaf: the size that the file holds for now; 0: none
  uint32_t kind;     // TENON_KIND_FLOAT; of a leaf TENON_KIND_BOOL; 0: integer
  tenon_dim most;  // of a leaf that data decide: a size that it never exceeds,
                   // TENON_UNKNOWN where only `max` is known. 0: the same
  const char *asked;  // of a leaf: the request that made `max` what it is;
                      // null: the file states it
  bool is_fresh;      // a leaf that nobody has named
} tenon_symbol;

typedef struct tenon_symbols {
  tenon_arena *arena;
  tenon_symbol *data;  // [1 .. count - 1]
  uint32_t count, capacity;
  tenon_map map;
} tenon_symbols;

void tenon_symbols_init(tenon_symbols *s, tenon_arena *arena,
                        tenon_allocator allocator);
void tenon_symbols_deinit(tenon_symbols *s);
// A leaf by name; the same name is the same symbol, its range the intersection.
// A number where the range has but one.
tenon_dim tenon_symbols_leaf(tenon_symbols *s, const char *name, int64_t min,
                             int64_t max);
// A leaf of its own, called "u7" as long as nobody else is: a leaf that is made
// by that name later takes it, and this one has another then. Never a number.
tenon_dim tenon_symbols_fresh(tenon_symbols *s, int64_t min, int64_t max);
// The range of a leaf becomes the intersection. A number where it has but one.
tenon_dim tenon_symbols_narrow(tenon_symbols *s, uint32_t leaf, int64_t min,
                               int64_t max);
// Folds where both are numbers, and where the ranges leave one. Division by the
// number 0 gives the number 0: callers check; any other divisor is taken not to
// be 0. TENON_UNKNOWN in `value` marks overflow, and memory that ran out, which
// is latched in the arena. Subtractions become sums, so no symbol has that op.
tenon_dim tenon_symbols_apply(tenon_symbols *s, tenon_dim_op op, tenon_dim a,
                              tenon_dim b);
// A leaf that is a float or a boolean; the name is new. TENON_UNKNOWN in
// `value` when it is not, or memory ran out.
tenon_dim tenon_symbols_number(tenon_symbols *s, const char *name,
                               uint32_t kind);
// Notes the size that the file holds for now, of a leaf.
void tenon_symbols_store(tenon_symbols *s, tenon_dim leaf, int64_t size);
// Notes that a leaf never exceeds another size.
void tenon_symbols_bound(tenon_symbols *s, tenon_dim leaf, tenon_dim most);
// Notes that an expression has one value in every run that is let begin: it is
// that number from now on. A guard that says so keeps the expression.
void tenon_symbols_settle(tenon_symbols *s, tenon_dim expression,
                          int64_t value);
// The most that a size can be where some of its leaves are hidden: a number, or
// a size of other leaves alone. TENON_UNKNOWN in `value`: nothing bounds it.
typedef bool tenon_hidden_fn(const void *self, uint32_t leaf);
tenon_dim tenon_symbols_most(tenon_symbols *s, tenon_dim d,
                             tenon_hidden_fn *is_hidden, const void *self);
const tenon_symbol *tenon_symbols_look(const tenon_symbols *s, uint32_t id);
// "?n", "?n*2+1", "(?n+3)/4", "min(?n,?m)": applying it again gives the same
// symbol. Without a table, symbols are "?" and their id.
void tenon_symbols_print(const tenon_symbols *s, tenon_dim dim, tenon_buf *out);

#endif  // TENON_CORE_SYMBOL_H
