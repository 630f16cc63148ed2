// histc_ref.c - how many elements lie in each of some equal cells. The last
// cell has its upper end; what lies outside does not count.
#include "kern/order.h"

#define HISTC_REF(t)                                                    \
  static void histc_ref_##t(const tenon_call *c) {                      \
    const tenon_histc_attrs *a = (const tenon_histc_attrs *)c->attrs;   \
    const tenon_tensor *x = &c->in[0];                                  \
    const ptrdiff_t n = (ptrdiff_t)tenon_count(x);                      \
    tenon_carry_##t *y = (tenon_carry_##t *)c->out[0].data;             \
    tenon_carry_##t lo = (tenon_carry_##t)a->lo;                        \
    tenon_carry_##t hi = (tenon_carry_##t)a->hi;                        \
    for (ptrdiff_t i = 0; i < (ptrdiff_t)a->bins; ++i)                  \
      y[i] = 0;                                                         \
    for (ptrdiff_t i = 0; a->lo == a->hi && i < n; ++i) {               \
      const tenon_carry_##t v = tenon_load_##t(x->data, i);             \
      lo = i == 0 || v < lo ? v : lo;                                   \
      hi = i == 0 || v > hi ? v : hi;                                   \
    }                                                                   \
    if (lo == hi) {                                                     \
      lo -= 1;                                                          \
      hi += 1;                                                          \
    }                                                                   \
    for (ptrdiff_t i = 0; i < n; ++i) {                                 \
      const tenon_carry_##t v = tenon_load_##t(x->data, i);             \
      if (!(v >= lo && v <= hi)) continue;                              \
      ptrdiff_t at =                                                    \
          (ptrdiff_t)((v - lo) * (tenon_carry_##t)a->bins / (hi - lo)); \
      y[at < (ptrdiff_t)a->bins ? at : (ptrdiff_t)a->bins - 1] += 1;    \
    }                                                                   \
  }
HISTC_REF(f32)
HISTC_REF(f64)

TENON_KERNEL(tenon_k_histc_ref) {
  if (c->in[0].dtype == TENON_F64)
    histc_ref_f64(c);
  else
    histc_ref_f32(c);
  return TENON_OK;
}
