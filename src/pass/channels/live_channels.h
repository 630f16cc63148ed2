// pass/channels/live_channels.h - channels of quantised tensors that need not
// be computed.
//
// A channel is an entry of the last dimension of a tensor of integers with one
// scale. Three questions, in this order:
//   range  which numbers can be stored in a channel? Weights, biases, limits
//          and roundings say so, from the ranges of what it is made of; where
//          it is one number, the channel is constant.
//   need   does anybody have to read the channel? A sum over channels need not
//          where the weights are zero, and where the channel is constant: then
//          its share is a number that the bias can have. Where the operators
//          between a producer and its readers go channel by channel, all of
//          their tensors have the channel, or none has.
//   cut    the same operators on fewer channels, with smaller weights.
// Arithmetic is not written down a second time: what a sum, or a number, is
// stored as is asked of the reference kernel (pass/evaluate.h).
//
// Floats have no such channels: a product by zero is NaN where the other factor
// is no finite number, and nothing says that an input is one.
#ifndef TENON_PASS_LIVE_CHANNELS_H
#define TENON_PASS_LIVE_CHANNELS_H

#include "kern/loop/window.h"
#include "pass/evaluate.h"

typedef enum tenon_channels_how {
  TENON_CHANNELS_NONE,  // all channels are needed, and may be any number
  TENON_CHANNELS_PRODUCT,
  TENON_CHANNELS_DEPTH,
  TENON_CHANNELS_EACH,
  TENON_CHANNELS_LOOKUP,
  TENON_CHANNELS_POOL,
  TENON_CHANNELS_REDUCE,
  TENON_CHANNELS_PAD,
  TENON_CHANNELS_MOVE,
  TENON_CHANNELS_RESHAPE,
  TENON_CHANNELS_JOIN
} tenon_channels_how;

// Of a value. Stored numbers of channel i lie in lo[i] .. hi[i].
typedef struct tenon_channels {
  int32_t n;  // 0: it has no channels that could be followed
  int32_t *lo, *hi;
  bool *is_needed;
} tenon_channels;

// Taps y.begin .. y.end - 1 by x.begin .. x.end - 1 of a window.
typedef struct tenon_channels_taps {
  tenon_taps y, x;
} tenon_channels_taps;

typedef struct tenon_channels_run {
  tenon_module *m;
  const tenon_choice *choice;
  tenon_arena arena;  // what lives as long as the pass
  tenon_evaluator evaluator;
  tenon_channels *values;  // by id
  uint8_t *how;            // of nodes, by id
  uint32_t n_values, n_nodes;
  int32_t multiple;  // counts that stay are rounded up to one of these
  // What was found and taken out, of sums alone: what lies between them has the
  // same channels.
  uint64_t n_all, n_constant, n_unread;
} tenon_channels_run;

TENON_INLINE tenon_channels *tenon_channels_of(const tenon_channels_run *r,
                                               const tenon_value *v) {
  return &r->values[v->id];
}
TENON_INLINE bool tenon_channels_is_constant(const tenon_channels *c,
                                             int32_t i) {
  return c->lo[i] == c->hi[i];
}

// --- operators (channels_ops.c) ----------------------------------------------

// An integer of 8 or 16 bits with one scale.
bool tenon_channels_is_stored(const tenon_type *t);
// How a node treats channels, if it is as the table says and all that takes.
tenon_channels_how tenon_channels_find_how(const tenon_node *n);
TENON_INLINE tenon_channels_how
tenon_channels_how_of(const tenon_channels_run *r, const tenon_node *n) {
  return (tenon_channels_how)r->how[n->id];
}
// The attribute whose last entry counts channels; null: none does.
const char *tenon_channels_counted(const tenon_node *n);
// Operands first .. first + count - 1 go channel by channel.
void tenon_channels_operands(tenon_channels_how how, const tenon_node *n,
                             uint32_t *first, uint32_t *count);
// Where operand i of a JOIN stands among the channels of the result; -1: beside
// them, since others than channels are joined.
int32_t tenon_channels_offset(const tenon_node *n, uint32_t i);

// The weights of a PRODUCT or DEPTH, less their zero points.
typedef struct tenon_channels_weights {
  const tenon_tensor *w;
  const tenon_tensor *bias;  // null: none
  int32_t n, kh, kw, depth;  // depth 1: of a DEPTH
  int32_t times;             // results of a channel of a DEPTH
  bool is_depth;
  bool is_wide;  // sums and biases have 64 bits
  int32_t x_zero, w_zero;
} tenon_channels_weights;
void tenon_channels_weights_of(const tenon_node *n, tenon_channels_how how,
                               tenon_channels_weights *out);
int32_t tenon_channels_weight(const tenon_channels_weights *w, int32_t out,
                              int32_t tap, int32_t in);
int64_t tenon_channels_bias(const tenon_channels_weights *w, int32_t out);
// An element of 8 or 16 bits.
int32_t tenon_channels_stored(const tenon_tensor *t, size_t i);
// Which taps the windows of the node have in the image: each set once. Null:
// out of memory.
tenon_channels_taps *tenon_channels_windows(tenon_channels_run *r,
                                            const tenon_node *n,
                                            const tenon_channels_weights *w,
                                            uint32_t *count);

// --- the three questions -----------------------------------------------------

// Looks at no function yet. Afterwards `end` is called, unless this failed.
tenon_status tenon_channels_begin(tenon_channels_run *r, tenon_module *m,
                                  const tenon_choice *choice);
void tenon_channels_end(tenon_channels_run *r);
// Finds the ranges of all values of a function.
tenon_status tenon_channels_look(tenon_channels_run *r, const tenon_graph *g);

// Ranges of the results of a node; those of its operands are known. In
// channels_range.c, of sums in channels_sum.c.
tenon_status tenon_channels_range(tenon_channels_run *r, const tenon_node *n);
bool tenon_channels_range_sum(tenon_channels_run *r, const tenon_node *n);
// Any result: those of the type.
void tenon_channels_widest(const tenon_value *v, tenon_channels *c);
// Which channels somebody needs, of all values of a function
// (channels_need.c). False: out of memory.
bool tenon_channels_need(tenon_channels_run *r, tenon_graph *g);
// Rebuilds what loses channels (channels_cut.c). Where something stands in the
// way, its node has become TENON_CHANNELS_NONE, nothing has changed, and
// *is_done is false: needs are to be found again.
tenon_status tenon_channels_cut(tenon_channels_run *r, tenon_graph *g,
                                bool *is_done);

#endif  // TENON_PASS_LIVE_CHANNELS_H
