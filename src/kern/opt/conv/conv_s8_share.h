// kern/opt/conv/conv_s8_share.h - which channels of an image the outputs of an
// item read, in a convolution of integers whose channels are in groups.
//
// Weights are packed as if an output had all the channels of its item, those of
// other groups being 0: sums of integers are the same. Where groups fill items,
// or items fill groups, an item walks the channels of its own groups alone.
#ifndef TENON_KERN_OPT_CONV_S8_SHARE_H
#define TENON_KERN_OPT_CONV_S8_SHARE_H

#include "kern/opt/tiles/blocks.h"
#include "kern/product/conv.h"

typedef struct tenon_share {
  ptrdiff_t depth;     // channels that an output is multiplied with
  ptrdiff_t own;       // of those, how many are of its group
  ptrdiff_t channels;  // outputs of a group
  ptrdiff_t outputs;   // outputs that read the same channels
  bool is_part;        // of the channels of the image
} tenon_share;

TENON_INLINE tenon_share tenon_share_of(const tenon_call *c) {
  const ptrdiff_t groups =
      (ptrdiff_t)((const tenon_conv_attrs *)c->attrs)->groups;
  const ptrdiff_t out_c = c->in[1].dims[0], own = c->in[1].dims[3];
  const ptrdiff_t channels = groups > 0 ? out_c / groups : 0;
  tenon_share s = {own * groups, own, channels, out_c, false};
  if (groups <= 1 || channels == 0) return s;
  if (channels % TENON_GROUP == 0) {
    s.depth = own;
    s.outputs = channels;
  } else if (out_c % TENON_GROUP == 0 && TENON_GROUP % channels == 0) {
    s.depth = own * (TENON_GROUP / channels);
    s.outputs = TENON_GROUP;
  }
  s.is_part = s.outputs != out_c;
  return s;
}

// The first channel that output j reads.
TENON_INLINE ptrdiff_t tenon_share_begin(const tenon_share *s, ptrdiff_t j) {
  return s->is_part ? j / s->outputs * s->depth : 0;
}

// Whether taps side by side are one run.
TENON_INLINE bool tenon_share_is_dense(const tenon_share *s,
                                       const tenon_call *c) {
  const tenon_conv_attrs *a = (const tenon_conv_attrs *)c->attrs;
  return a->dilation.data[1] == 1 && !s->is_part;
}

#endif  // TENON_KERN_OPT_CONV_S8_SHARE_H
