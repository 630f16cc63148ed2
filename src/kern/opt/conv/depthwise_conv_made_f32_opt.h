// kern/opt/conv/depthwise_conv_made_f32_opt.h - depthwise convolution in floats
// whose weights are not known before a run: each range packs them into scratch,
// then does what depthwise_conv_f32_opt.h does.
#ifndef TENON_KERN_OPT_DEPTHWISE_CONV_MADE_F32_OPT_H
#define TENON_KERN_OPT_DEPTHWISE_CONV_MADE_F32_OPT_H

#include "kern/opt/conv/depthwise_conv_f32_opt.h"
#include "kern/opt/tiles/items.h"
#include "kern/opt/tiles/made_f32.h"

TENON_INLINE tenon_status tenon_depthwise_conv_made_f32_run(const tenon_call *c,
                                                            int64_t begin,
                                                            int64_t end) {
  const tenon_depthwise_conv_attrs *attrs =
      (const tenon_depthwise_conv_attrs *)c->attrs;
  const int32_t *d = c->in[1].dims;
  const ptrdiff_t n = d[3], np = tenon_round_up(n, TENON_LANES);
  const float *w = (const float *)c->in[1].data;
  float *to = tenon_made_tail(c, 0, n, attrs->lo, attrs->hi, c->scratch);
  for (ptrdiff_t tap = (ptrdiff_t)d[1] * d[2]; tap > 0;
       --tap, w += n, to += np) {
    memcpy(to, w, (size_t)n * sizeof *to);
    if (np > n) memset(to + n, 0, (size_t)(np - n) * sizeof *to);
  }
  tenon_call own = *c;
  own.packed = c->scratch;
  return tenon_depthwise_conv_f32_run(&own, begin, end);
}

#endif  // TENON_KERN_OPT_DEPTHWISE_CONV_MADE_F32_OPT_H
