// emit/step/open.h - sizes that a run of emitted C finds out.
//
// Where a program has none, what is printed here is what was always printed:
// numbers.
#ifndef TENON_EMIT_OPEN_H
#define TENON_EMIT_OPEN_H

#include "emit/emission.h"

bool tenon_emit_is_open(const tenon_emission *e);
// "m->number[3]", or the number.
void tenon_emit_number(tenon_buf *out, tenon_dim d);
void tenon_emit_put_number(tenon_buf *out, const tenon_put_value *v);
TENON_PUT_AS(number, const tenon_dim *, p, tenon_emit_put_number)
// A pointer to int32_t: a table, or an array built on the spot.
void tenon_emit_dims_of(tenon_emission *e, tenon_buf *out,
                        const tenon_program_tensor *t);
// The product of some dimensions, as int64_t; of none: 1.
void tenon_emit_product(tenon_buf *out, const tenon_program_tensor *t,
                        int begin, int end);
void tenon_emit_put_bytes(tenon_buf *out, const tenon_put_value *v);
#define tenon_as_bytes(t) \
  ((tenon_put_value){.put = tenon_emit_put_bytes, .as.p = (t)})

// Marks the parts of marked numbers too.
void tenon_numbers_spread(const struct tenon_program *p, bool *marks);
// The arguments of an entry's function that are sizes.
bool tenon_emit_name_sizes(tenon_emission *e, tenon_map *scope, uint32_t entry,
                           tenon_entry_names *out);
// The functions that evaluate, and where an entry's function calls them.
void tenon_emit_sizes(tenon_emission *e, tenon_buf *out);
void tenon_emit_take_sizes(tenon_emission *e, tenon_buf *out, uint32_t entry);
// Takes what a step has found out, and evaluates into `status`.
void tenon_emit_found(tenon_emission *e, tenon_buf *out, uint32_t index);
// How many items the step's kernel has, as an expression (open_items.c).
tenon_status tenon_emit_items(tenon_emission *e, tenon_buf *out,
                              const tenon_step *step);

// Whether a run finds out the attribute at this address of `bound`.
bool tenon_emit_is_patched(const tenon_emission *e,
                           const tenon_program_attrs *a, const void *at);
void tenon_emit_open_value(tenon_emission *e, tenon_buf *out,
                           const tenon_program_attrs *a,
                           const tenon_attr_view *v);

#endif  // TENON_EMIT_OPEN_H
