// kern/opt/conv/stem.h - which convolutions are first layers that go column by
// column (kern/opt/conv/conv_f32_stem.h).
//
// Also compiled for the machine that compiles the model: `match` asks.
#ifndef TENON_KERN_OPT_CONV_STEM_H
#define TENON_KERN_OPT_CONV_STEM_H

#include "kern/loop/window.h"

enum { TENON_STEM_DEPTH = 3, TENON_STEM_TAPS = 3, TENON_STEM_RIGHT = 2 };

// Outputs at once, or 0: this is no such layer.
TENON_INLINE ptrdiff_t tenon_stem_f32_width(const tenon_window *g,
                                            ptrdiff_t depth) {
  if (depth != TENON_STEM_DEPTH || g->c != depth || g->kw != TENON_STEM_TAPS ||
      g->right != TENON_STEM_RIGHT || g->dil_x != 1 || g->left > 1 ||
      g->out_w < 12 || g->out_w * TENON_STEM_RIGHT - g->left > g->w)
    return 0;
  const ptrdiff_t of_12 = (g->out_w + 11) / 12 * 12;
  const ptrdiff_t of_14 = (g->out_w + 13) / 14 * 14;
  return g->out_w >= 14 && of_14 <= of_12 ? 14 : 12;
}

#endif  // TENON_KERN_OPT_CONV_STEM_H
