// Fast products of matrices against the reference, bit for bit.
#include <math.h>
#include <stdlib.h>

#include "harness/harness.h"
#include "kern/sources.h"
#include "ops/core/fast/core_fast.h"
#include "wide.h"

enum { LISTS = 2, MOST = 40 };

static const tenon_kernel_desc *const *list_of(int i) {
#ifdef TENON_CORE_HAS_FAST
  if (i == 0) return tenon_core_fast_kernels;
#endif
  return test_wide_kernels();
}

typedef struct product {
  int32_t a_dims[3], b_dims[3], y_dims[3];
  tenon_tensor in[2], out[1];
  tenon_call call;
  float a[2 * MOST * MOST], b[2 * MOST * MOST], y[2 * MOST * MOST];
} product;

// The second operand is the same for both batches where `is_shared`.
static void make(product *p, int m, int k, int n, bool is_shared) {
  const int32_t a[] = {2, m, k}, b[] = {is_shared ? 1 : 2, k, n};
  const int32_t y[] = {2, m, n};
  memset(p, 0, sizeof *p);
  memcpy(p->a_dims, a, sizeof a);
  memcpy(p->b_dims, b, sizeof b);
  memcpy(p->y_dims, y, sizeof y);
  for (int i = 0; i < 2 * MOST * MOST; ++i) {
    p->a[i] = (float)(rand() % 2001 - 1000) / 7.0f;
    p->b[i] = (float)(rand() % 2001 - 1000) / 3.0f;
  }
  p->a[rand() % (2 * m * k)] = INFINITY;
  p->b[rand() % (k * n)] = -0.0f;
  p->in[0] = (tenon_tensor){p->a, p->a_dims, NULL, NULL, TENON_F32, 3, 0};
  p->in[1] = (tenon_tensor){p->b, p->b_dims, NULL, NULL, TENON_F32, 3, 0};
  p->out[0] = (tenon_tensor){p->y, p->y_dims, NULL, NULL, TENON_F32, 3, 0};
  p->call.in = p->in;
  p->call.out = p->out;
  p->call.n_in = 2;
  p->call.n_out = 1;
}

static int compare(product *p, const float *want, size_t size) {
  int checked = 0;
  for (int i = 0; i < LISTS; ++i) {
    for (const tenon_kernel_desc *const *k = list_of(i); *k; ++k) {
      if (strcmp((*k)->op, "core::matmul") != 0 ||
          strncmp((*k)->types, "f32", 3) != 0 || !test_can_run(*k))
        continue;
      const int64_t rows = (*k)->items(&p->call), cut = rows / 8 * 4;
      memset(p->y, 0x55, sizeof p->y);
      (*k)->run_range(&p->call, cut, rows);
      (*k)->run_range(&p->call, 0, cut);
      CHECK(memcmp(p->y, want, size) == 0, "%s: %d %d %d", (*k)->symbol,
            p->a_dims[1], p->a_dims[2], p->b_dims[2]);
      ++checked;
    }
  }
  return checked;
}

static void equals_the_reference(void **state) {
  static product p;
  static float want[2 * MOST * MOST];
  int checked = 0;
  (void)state;
  srand(1);
  for (int i = 0; i < 200; ++i) {
    int m = 1 + rand() % (MOST - 1), k = 1 + rand() % (MOST - 1);
    int n = 1 + rand() % (i % 2 ? MOST - 1 : 15);
    make(&p, m, k, n, rand() & 1);
    tenon_k_matmul_f32_ref(&p.call, 0, 2 * m);
    size_t size = (size_t)(2 * m * n) * sizeof(float);
    memcpy(want, p.y, size);
    checked += compare(&p, want, size);
  }
  if (!checked) skip();
}

// b turned around, whose product is that of b as it is. Chains longer than a
// block, edges of it, and fewer columns than a register has.
static void equals_the_product_of_what_is_turned(void **state) {
  enum { K = 300, N = 75, M = 37 };
  static float a[2 * M * K], b[2 * K * N], turned[2 * N * K], want[2 * M * N],
      got[2 * M * N];
  static const int sizes[][3] = {{1, K, N},   {M, K, N},    {4, 128, 32},
                                 {3, 1, 1},   {5, 17, 33},  {1, 129, 64},
                                 {M, 3, 2},   {16, K, 1},   {9, 70, 7},
                                 {M, 65, 15}, {20, 128, 6}, {M, 16, 4}};
  int checked = 0;
  (void)state;
  srand(2);
  EACH_ROW(i, sizes) {
    const int m = sizes[i][0], k = sizes[i][1], n = sizes[i][2];
    const int batches = rand() % 2 + 1;
    const int32_t a_dims[] = {2, m, k}, b_dims[] = {batches, k, n};
    const int32_t turned_dims[] = {batches, n, k}, y_dims[] = {2, m, n};
    for (int e = 0; e < 2 * m * k; ++e)
      a[e] = (float)(rand() % 2001 - 1000) / 7.0f;
    for (int e = 0; e < batches * k * n; ++e) {
      const int at = e / (k * n), r = e % (k * n) / n, s = e % n;
      b[e] = (float)(rand() % 2001 - 1000) / 3.0f;
      turned[(at * n + s) * k + r] = b[e];
    }
    tenon_tensor in[] = {{a, a_dims, NULL, NULL, TENON_F32, 3, 0},
                         {b, b_dims, NULL, NULL, TENON_F32, 3, 0}};
    tenon_tensor y = {want, y_dims, NULL, NULL, TENON_F32, 3, 0};
    tenon_call c = {.in = in, .out = &y, .n_in = 2, .n_out = 1};
    tenon_k_matmul_f32_ref(&c, 0, 2 * m);
    const size_t size = (size_t)(2 * m * n) * sizeof(float);
    in[1] = (tenon_tensor){turned, turned_dims, NULL, NULL, TENON_F32, 3, 0};
    y.data = got;
    tenon_k_matmul_transposed_f32_ref(&c, 0, 2 * m);
    CHECK(memcmp(got, want, size) == 0, "reference: %d %d %d", m, k, n);
    for (int l = 0; l < LISTS; ++l)
      for (const tenon_kernel_desc *const *d = list_of(l); *d; ++d) {
        if (strcmp((*d)->op, "core::matmul_transposed") != 0 ||
            !test_can_run(*d))
          continue;
        memset(got, 0x55, sizeof got);
        (*d)->run_range(&c, m, 2 * m);
        (*d)->run_range(&c, 0, m);
        CHECK(memcmp(got, want, size) == 0, "%s: %d %d %d", (*d)->symbol, m, k,
              n);
        ++checked;
      }
  }
  if (!checked) skip();
}

TEST_GROUP(matmul, cmocka_unit_test(equals_the_reference),
           cmocka_unit_test(equals_the_product_of_what_is_turned))
