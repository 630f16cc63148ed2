// tests/harness/case.h - calls of kernels made by hand, for tests and
// benchmarks of kernels.
//
// Kernels are packed and run as a program would: constants behind `packed`,
// scratch with rubbish in it, items in ranges. Inputs may end at an unreadable
// page, so that a kernel that reads past what a caller owns is caught.
#ifndef TENON_TESTS_CASE_H
#define TENON_TESTS_CASE_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/heap.h"
#include "harness/pages.h"
#include "tenon/ext/kernel.h"

enum { CASE_GUARD = 64 };

// Data of a case: which numbers there are.
enum {
  CASE_USUAL,    // as in a network
  CASE_WIDE,     // exponents far apart; any factor
  CASE_EXTREME,  // ends of the range, infinities, subnormals
  CASE_DATA_KINDS
};

static uint64_t case_random_state = 1;

static inline uint32_t case_random(void) {  // splitmix64
  uint64_t z = case_random_state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return (uint32_t)((z ^ (z >> 31)) >> 32);
}

static inline int case_between(int lo, int hi) {
  return lo + (int)(case_random() % (uint32_t)(hi - lo + 1));
}

static inline float case_float(int kind) {
  uint32_t bits = case_random();
  float x = 0.0f;
  if (kind == CASE_USUAL) return (float)(int32_t)bits * 0x1p-31f;
  if (kind == CASE_WIDE)
    return ldexpf((float)(int32_t)bits, case_between(-60, 10));
  switch (case_between(0, 9)) {
    case 0:
      return bits & 1 ? -0.0f : 0.0f;
    case 1:
      return bits % 64 == 0 ? INFINITY : bits % 64 == 1 ? -INFINITY : 1.0f;
    case 2:
      bits &= 0x807fffffu;  // subnormal
      break;
    case 3:
      bits = (bits & 0x80ffffffu) | 0x1f000000u;  // products are
      break;
    case 4:
      bits = (bits & 0x807fffffu) | 0x5f000000u;  // products overflow
      break;
    default:
      return (float)case_between(-9, 9) * 0.5f;  // sums tie
  }
  memcpy(&x, &bits, 4);
  return x;
}

static inline int8_t case_s8(int kind) {
  if (kind == CASE_EXTREME)
    return (int8_t)(case_random() & 1 ? -128 : case_random() & 1 ? 127 : 0);
  return (int8_t)case_random();
}

static inline void case_tensor(tenon_tensor *t, tenon_dtype dtype,
                               const int32_t *dims, int rank, void *data,
                               const tenon_quant *quant) {
  memset(t, 0, sizeof *t);
  t->dtype = dtype;
  t->dims = dims;
  t->rank = (uint8_t)rank;
  t->data = data;
  t->quant = quant;
}

// A kernel ready to run on a case.
typedef struct case_run {
  const tenon_kernel_desc *kernel;
  tenon_call call;
  tenon_tensor in[8];
  void *packed;
  unsigned char *scratch;
  size_t packed_size, scratch_size;
  int64_t items;
} case_run;

static inline void *case_aligned(size_t size) {
  void *p = tenon_heap_take((size + 127) / 64 * 64, 64);
  if (!p) abort();
  return p;
}

static inline void case_give(void *p) {
  if (p) tenon_heap_give(p);
}

// `rubbish` is in whatever the kernel should not depend on.
static inline bool case_run_of(case_run *r, const tenon_call *c,
                               const tenon_kernel_desc *k, int rubbish) {
  memset(r, 0, sizeof *r);
  r->kernel = k;
  r->call = *c;
  memcpy(r->in, c->in, (size_t)c->n_in * sizeof *r->in);
  if (k->pack) {
    r->packed_size = k->pack_size(&r->call);
    r->packed = case_aligned(r->packed_size + 64);
    memset(r->packed, rubbish, r->packed_size + 64);
    if (k->pack(&r->call, r->packed) != TENON_OK) return false;
    r->call.packed = r->packed;
  }
  r->call.in = r->in;
  for (int i = 0; i < (int)c->n_in; ++i)
    if (k->packs >> i & 1) r->in[i].data = NULL;
  r->items = k->items ? k->items(&r->call) : 1;
  r->scratch_size = k->scratch ? k->scratch(&r->call, r->items) : 0;
  r->scratch = case_aligned(r->scratch_size + 64);
  memset(r->scratch, rubbish, r->scratch_size + 64);
  r->call.scratch = r->scratch_size ? r->scratch : NULL;  // as in a session
  return true;
}

static inline void case_run_deinit(case_run *r) {
  case_give(r->packed);
  case_give(r->scratch);
}

#endif  // TENON_TESTS_CASE_H
