// histc_ref.c - how many elements lie in each of some equal cells. The last
// cell has its upper end; what lies outside does not count.
#include "kern/loop/order.h"

// 16-bit floats round after every operation and count in their own type, where
// the count stops growing, as in PyTorch.
#define HISTC_REF(t)                                                         \
  static tenon_carry_##t histc_ref_round_##t(tenon_carry_##t v) {            \
    uint64_t kept;                                                           \
    tenon_store_##t(&kept, 0, v);                                            \
    return tenon_load_##t(&kept, 0);                                         \
  }                                                                          \
  static void histc_ref_##t(const tenon_call *c) {                           \
    const tenon_histc_attrs *a = (const tenon_histc_attrs *)c->attrs;        \
    const tenon_tensor *x = &c->in[0];                                       \
    const ptrdiff_t n = (ptrdiff_t)tenon_count(x);                           \
    void *y = c->out[0].data;                                                \
    const tenon_carry_##t bins =                                             \
        histc_ref_round_##t((tenon_carry_##t)a->bins);                       \
    tenon_carry_##t lo = histc_ref_round_##t((tenon_carry_##t)a->lo);        \
    tenon_carry_##t hi = histc_ref_round_##t((tenon_carry_##t)a->hi), width; \
    for (ptrdiff_t i = 0; i < (ptrdiff_t)a->bins; ++i)                       \
      tenon_store_##t(y, i, 0);                                              \
    for (ptrdiff_t i = 0; a->lo == a->hi && i < n; ++i) {                    \
      const tenon_carry_##t v = tenon_load_##t(x->data, i);                  \
      lo = i == 0 || v < lo ? v : lo;                                        \
      hi = i == 0 || v > hi ? v : hi;                                        \
    }                                                                        \
    if (lo == hi) {                                                          \
      lo = histc_ref_round_##t(lo - 1);                                      \
      hi = histc_ref_round_##t(hi + 1);                                      \
    }                                                                        \
    width = histc_ref_round_##t(hi - lo);                                    \
    for (ptrdiff_t i = 0; i < n; ++i) {                                      \
      const tenon_carry_##t v = tenon_load_##t(x->data, i);                  \
      if (!(v >= lo && v <= hi)) continue;                                   \
      const tenon_carry_##t place = histc_ref_round_##t(                     \
          histc_ref_round_##t(histc_ref_round_##t(v - lo) * bins) / width);  \
      const ptrdiff_t at =                                                   \
          place < bins ? (ptrdiff_t)place : (ptrdiff_t)a->bins - 1;          \
      tenon_store_##t(y, at, tenon_load_##t(y, at) + 1);                     \
    }                                                                        \
  }
TENON_PLAIN_REALS(HISTC_REF)

TENON_KERNEL(tenon_k_histc_ref) {
#define HISTC_REF_RUN(t) histc_ref_##t(c)
  TENON_REAL_SWITCH(c->in[0].dtype, HISTC_REF_RUN)
  return TENON_OK;
}
