// kern/opt/tiles/packed.h - the packed form of weights for the kernels in
// kern/opt/.
//
// The same for every instruction set that multiplies in the same groups, so one
// program serves several: output channels stand in panels of TENON_LANES, the
// last filled up with zeros, and a kernel takes as many lanes at once as its
// registers have. A block is a head of 64 bytes, then per channel its bias (and
// what scales it), then the weights in the order in which they are read:
//
//   f32   [panel][ky][kx][ic][16] floats; of a convolution in groups: bias and
//         weights of one group after the other, each filled up; of narrow
//         groups (below) as if it were one group, ic being that of each
//   s8    [panel][ky][run][16][G] bytes, a run being the values of one row of
//         taps (of one tap, if taps are apart), filled up to a multiple of G
//   depthwise f32  [ky][kx][oc] floats, oc filled up to a panel; of volumes
//         [kz][ky][kx][oc]
//   depthwise s8   [ky][group][oc] lanes of 32 bits, each the weights of G taps
//         side by side in a row: two of 16 bits or four of 8
//
//   hybrid  as f32, the weights being integers, without bias and limits, which
//         stand behind: another head, then scale and bias per channel
//
// G is what the dot product of an instruction set takes at once: 2, or 4 with
// activations offset by 128. Zero points are part of the bias.
#ifndef TENON_KERN_OPT_PACKED_H
#define TENON_KERN_OPT_PACKED_H

#include "tenon/base.h"

#define TENON_LANES 16

// Followed by float bias[np], where `is_scaled` scale[np] and shift[np], and
// the weights. Without a bias or a shift it is -0, which leaves every sum as it
// is; +0 would not.
typedef struct tenon_packed_f32 {
  float lo, hi;
  int32_t is_scaled;
  int32_t unused[13];
} tenon_packed_f32;

// Of lines: not all channels have one, or they end within a byte; all have one
// and end where a byte does; and besides floor(sum * factor + above), limited
// to 0 and 255, is what is stored, less -128.
#define TENON_LINE_NONE 0
#define TENON_LINE_SPLIT 1
#define TENON_LINE_STRAIGHT 2

// Followed by int32_t bias[np], mult[np], shift[np], weights; and where there
// are lines, float factor[np], above[np], below[np], int32_t split[np].
typedef struct tenon_packed_s8 {
  int32_t x_zero, y_zero, lo, hi;
  // Not 0: factors are at most 1, and where results are rounded twice also at
  // least 2^-22 and sums below 2^30, so that nothing overflows when the zero
  // point is added before the shift. Then vectors do what kern/num/fixed.h
  // does.
  int32_t is_plain;
  // Not 0: mult and shift are those of the first channel in all of them.
  int32_t is_same;
  // Not 0: floor(sum * factor + above), not rounded on the way, and limited, is
  // what mult and shift give; `below` stands for `above` where the sum is less
  // than `split`. A channel of which that is not proven has a factor of 0.
  int32_t has_lines;
  int32_t line_form;  // TENON_LINE_*
  int32_t w_zero;     // of weights as they are stored
  int32_t unused[7];
} tenon_packed_s8;

TENON_INLINE ptrdiff_t tenon_round_up(ptrdiff_t x, ptrdiff_t m) {
  return (x + m - 1) / m * m;
}

// Whether a convolution's groups of channels are so narrow that a panel has
// several: `in` channels are read and `out` are made by each.
TENON_INLINE bool tenon_is_narrow_group(ptrdiff_t groups, ptrdiff_t in,
                                        ptrdiff_t out) {
  return groups > 1 && in == out && (in == 2 || in == 4 || in == 8);
}

// Rows for which a panel of core::weight_only_linear does not become floats.
#define TENON_WEIGHT_ONLY_FEW 8
// Panels that become floats together otherwise.
#define TENON_WEIGHT_ONLY_PANELS 2
// Panels of an item, which lie side by side; the last item may have fewer.
#define TENON_WEIGHT_ONLY_GROUP 8

// Followed by groups of panels.
typedef struct tenon_packed_weight_only {
  int32_t is_narrow;  // 4 bits
  int32_t has_zeros;
  int32_t unused[14];
} tenon_packed_weight_only;

// Integers in a word of 32 bits.
TENON_INLINE ptrdiff_t tenon_weight_only_fields(bool is_narrow) {
  return is_narrow ? 8 : 4;
}

// Numbers of a block for each output: a scale, a zero point and words.
TENON_INLINE ptrdiff_t tenon_weight_only_rows(ptrdiff_t block, bool is_narrow,
                                              bool has_zeros) {
  const ptrdiff_t fields = tenon_weight_only_fields(is_narrow);
  return 1 + has_zeros + (block + fields - 1) / fields;
}

// Floats that such a panel takes, as weight_only_linear_f32_opt.h has it.
TENON_INLINE ptrdiff_t tenon_weight_only_floats(ptrdiff_t k, ptrdiff_t block,
                                                bool is_narrow,
                                                bool has_zeros) {
  return TENON_LANES *
         (1 + k / block * tenon_weight_only_rows(block, is_narrow, has_zeros));
}

#endif  // TENON_KERN_OPT_PACKED_H
