// kern/opt/each/each_opt.h - kern/loop/each.h and kern/loop/broadcast.h, a
// register at a time.
//
// TENON_EACH_VECTOR(name, type, function) defines the kernel `name`, whose
// items are elements: `function` of each, of floats of the type. It may work in
// place. Four registers at a time, as each is one long chain: compilers that
// look for it (-fschedule-insns of gcc, isa/files.cmake) make the chains run
// side by side, which halves the time. TENON_GROUP_VECTOR is the same of a
// function of n registers x that writes n registers y, and says whether a lane
// is rare: then <function>_far of x and y gives what to write, register by
// register, in a function that is not inlined and reads them anew, so that the
// loop keeps its registers. It has <function>_chains at a time.
// TENON_PAIR_VECTOR is the same of two operands that are broadcast; where they
// step otherwise than by one element or none, elements are brought side by side
// first.
#ifndef TENON_KERN_OPT_EACH_OPT_H
#define TENON_KERN_OPT_EACH_OPT_H

#include "kern/loop/broadcast.h"
#include "kern/opt/each/half_opt.h"

#define TENON_CHAINS_VECTOR(chains, name, type, group, rare)                  \
  TENON_KERNEL_RANGE(name) {                                                  \
    const TENON_ELEMENT_##type *from =                                        \
        (const TENON_ELEMENT_##type *)c->in[0].data;                          \
    TENON_ELEMENT_##type *to = (TENON_ELEMENT_##type *)c->out[0].data;        \
    ptrdiff_t i = (ptrdiff_t)begin;                                           \
    tenon_vf x[chains], y[chains];                                            \
    for (; i + chains * TENON_VL <= (ptrdiff_t)end; i += chains * TENON_VL) { \
      TENON_UNROLL                                                            \
      for (int k = 0; k < chains; ++k)                                        \
        x[k] = tenon_vf_load_##type(from + i + k * TENON_VL);                 \
      if (group(x, y, chains)) {                                              \
        rare(from + i, to + i, chains);                                       \
        continue;                                                             \
      }                                                                       \
      TENON_UNROLL                                                            \
      for (int k = 0; k < chains; ++k)                                        \
        tenon_vf_store_##type(to + i + k * TENON_VL, y[k]);                   \
    }                                                                         \
    for (; i + TENON_VL <= (ptrdiff_t)end; i += TENON_VL) {                   \
      x[0] = tenon_vf_load_##type(from + i);                                  \
      if (group(x, y, 1)) {                                                   \
        rare(from + i, to + i, 1);                                            \
        continue;                                                             \
      }                                                                       \
      tenon_vf_store_##type(to + i, y[0]);                                    \
    }                                                                         \
    if (i < (ptrdiff_t)end) {                                                 \
      const size_t size = (size_t)((ptrdiff_t)end - i) * sizeof *to;          \
      TENON_ELEMENT_##type lanes[TENON_VL] = {0};                             \
      memcpy(lanes, from + i, size);                                          \
      x[0] = tenon_vf_load_##type(lanes);                                     \
      if (group(x, y, 1))                                                     \
        rare(lanes, lanes, 1);                                                \
      else                                                                    \
        tenon_vf_store_##type(lanes, y[0]);                                   \
      memcpy(to + i, lanes, size);                                            \
    }                                                                         \
    return TENON_OK;                                                          \
  }

#define TENON_EACH_VECTOR(name, type, function)                            \
  TENON_FLAT bool name##_of(const tenon_vf *x, tenon_vf *y, const int n) { \
    TENON_UNROLL                                                           \
    for (int k = 0; k < n; ++k)                                            \
      y[k] = function(x[k]);                                               \
    return false;                                                          \
  }                                                                        \
  TENON_CHAINS_VECTOR(4, name, type, name##_of, TENON_NEVER_RARE)
#define TENON_NEVER_RARE(from, to, n) ((void)0)

#define TENON_GROUP_VECTOR(name, type, function)                        \
  TENON_APART void name##_rare(const TENON_ELEMENT_##type *from,        \
                               TENON_ELEMENT_##type *to, const int n) { \
    for (int k = 0; k < n; ++k) {                                       \
      const tenon_vf x = tenon_vf_load_##type(from + k * TENON_VL);     \
      tenon_vf y;                                                       \
      (void)function(&x, &y, 1);                                        \
      tenon_vf_store_##type(to + k * TENON_VL, function##_far(x, y));   \
    }                                                                   \
  }                                                                     \
  TENON_CHAINS_VECTOR(function##_chains, name, type, function, name##_rare)

#define TENON_PAIR_VECTOR(name, type, function)                             \
  TENON_KERNEL_RANGE(name) {                                                \
    typedef TENON_ELEMENT_##type element;                                   \
    const tenon_broadcast g =                                               \
        tenon_broadcast_of(&c->in[0], &c->in[1], &c->out[0]);               \
    const ptrdiff_t step_a = g.a[g.rank - 1], step_b = g.b[g.rank - 1];     \
    tenon_broadcast_run run = tenon_broadcast_start(&g, (ptrdiff_t)begin);  \
    for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end;) {             \
      ptrdiff_t n = run.count;                                              \
      const element *a = (const element *)c->in[0].data + run.a;            \
      const element *b = (const element *)c->in[1].data + run.b;            \
      element *to = (element *)c->out[0].data + i;                          \
      if (n > (ptrdiff_t)end - i) n = (ptrdiff_t)end - i;                   \
      for (ptrdiff_t k = 0; k < n; k += TENON_VL) {                         \
        const ptrdiff_t rest = n - k < TENON_VL ? n - k : TENON_VL;         \
        element x[TENON_VL] = {0}, y[TENON_VL] = {0};                       \
        for (ptrdiff_t j = 0; j < rest; ++j) {                              \
          x[j] = a[(k + j) * step_a];                                       \
          y[j] = b[(k + j) * step_b];                                       \
        }                                                                   \
        tenon_vf_store_##type(                                              \
            x, function(tenon_vf_load_##type(x), tenon_vf_load_##type(y))); \
        memcpy(to + k, x, (size_t)rest * sizeof *to);                       \
      }                                                                     \
      i += n;                                                               \
      tenon_broadcast_next(&g, &run);                                       \
    }                                                                       \
    return TENON_OK;                                                        \
  }

#endif  // TENON_KERN_OPT_EACH_OPT_H
