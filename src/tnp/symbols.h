// tnp/symbols.h - the numbers of a program as symbols of a module, so that
// shape rules can be asked for all sizes at once.
#ifndef TENON_TNP_SYMBOLS_H
#define TENON_TNP_SYMBOLS_H

#include "bind/open_node.h"
#include "tnp/coder.h"

typedef struct tenon_tnp_symbols {
  const struct tenon_program *p;
  const tenon_tnp_patch *patches;
  tenon_module *m;     // null: all sizes are fixed
  tenon_dim *dims;     // of numbers
  tenon_known *known;  // of numbers, as planned for
  int64_t *values;     // of symbols, as planned for
  int64_t *trial[TENON_TRIALS];
  bool can_try[TENON_TRIALS];
  uint32_t n_symbols;
  size_t n_guards;
} tenon_tnp_symbols;

// Everything but the module lives in `arena`.
tenon_status tenon_tnp_symbols_init(tenon_context *cx, tenon_arena *arena,
                                    tenon_tnp_symbols *s);
void tenon_tnp_symbols_deinit(tenon_tnp_symbols *s);
tenon_dim tenon_tnp_dim(const tenon_tnp_symbols *s, tenon_dim number);
// A step's attributes with symbols; null when memory ran out, or they do not
// take numbers.
const tenon_arg *tenon_tnp_args(const tenon_tnp_symbols *s, tenon_arena *arena,
                                const tenon_step *step);
// What data decide; null when memory ran out, or a size cannot vary.
const uint32_t *tenon_tnp_decided(const tenon_tnp_symbols *s,
                                  tenon_arena *arena, const tenon_step *step);
// Behind a step's shape rule: what is left to hold. Null: all does.
const char *tenon_tnp_symbols_check(const tenon_tnp_symbols *s,
                                    const tenon_step *step,
                                    const tenon_node *n);

#endif  // TENON_TNP_SYMBOLS_H
