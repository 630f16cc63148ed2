// emit/step/invoke.h - calls that several steps have in common, as values.
#ifndef TENON_EMIT_INVOKE_H
#define TENON_EMIT_INVOKE_H

#include "emit/emission.h"

// Values of a call that are not said by its form alone.
typedef enum tenon_call_part {
  TENON_CALL_ATTRS,
  TENON_CALL_DATA,
  TENON_CALL_DIMS,
  TENON_CALL_STRIDES,
  TENON_CALL_QUANT,
  TENON_CALL_DTYPE,
  TENON_CALL_RANK,
  TENON_CALL_PACKED,
  TENON_CALL_SCRATCH,
  TENON_CALL_ITEMS
} tenon_call_part;

typedef struct tenon_call_value {
  tenon_call_part what;
  const char *name;   // of the parameter, "in0_dims"
  const char *text;   // "m->arena + 64"
  bool is_place;      // in memory that is written, which begins at
  const char *start;  // "m->arena",
  uint64_t offset;    // so many bytes in front of it
  const char *about;  // of a tensor, for a comment; or null
} tenon_call_value;

// Steps that call a kernel in one form.
typedef struct tenon_shared_call {
  const tenon_step *first;
  uint32_t count;
  uint32_t n;                    // values
  const tenon_call_value *base;  // of the first; null: not yet printed
  bool *varies;
  const char *name;  // "kws_call0_tenon_k_conv_s8_dsp"
} tenon_shared_call;

// The call that a step has in common with others, its function printed; null:
// none. False: memory ran out.
bool tenon_emit_open_call(tenon_emission *e, uint32_t step,
                          const tenon_shared_call **out);
// `n` values of a step's call; null: memory ran out.
const tenon_call_value *tenon_emit_call_values(tenon_emission *e,
                                               const tenon_step *step,
                                               uint32_t n);

#endif  // TENON_EMIT_INVOKE_H
