#include "op_check.h"

#include "ops/core/fast/core_fast.h"
#include "ops/core/fast/core_fast_tile.h"
#include "wide.h"

enum { LISTS = 3 };

static const tenon_kernel_desc *const *list_of(int i) {
#ifdef TENON_CORE_HAS_FAST
  if (i == 0) return tenon_core_fast_kernels;
#endif
  if (i == 1) return tenon_core_tile_kernels;
  return test_wide_kernels();
}

static float float_at(tenon_dtype type, const unsigned char *p) {
  uint16_t half;
  float x;
  if (type == TENON_F32) {
    memcpy(&x, p, sizeof x);
    return x;
  }
  memcpy(&half, p, sizeof half);
  return type == TENON_F16 ? tenon_f32_of_f16(half) : tenon_f32_of_bf16(half);
}

// NaNs are equal whatever their bits: which operand's they keep is not ours.
static bool is_same(const tenon_tensor *t, const unsigned char *want,
                    size_t size) {
  const unsigned char *got = t->data;
  if (memcmp(got, want, size) == 0) return true;
  const size_t element = t->dtype == TENON_F32                             ? 4
                         : t->dtype == TENON_F16 || t->dtype == TENON_BF16 ? 2
                                                                           : 0;
  if (element == 0) return false;
  for (size_t i = 0; i < size; i += element)
    if (memcmp(got + i, want + i, element) != 0 &&
        !(isnan(float_at(t->dtype, got + i)) &&
          isnan(float_at(t->dtype, want + i))))
      return false;
  return true;
}

static bool is_filled(const unsigned char *p, size_t size, int value) {
  for (size_t i = 0; i < size; ++i)
    if (p[i] != value) return false;
  return true;
}

static void run_ranges(case_run *r) {
  const int64_t grain = r->kernel->grain ? r->kernel->grain : 1;
  for (int64_t begin = 0, end; begin < r->items; begin = end) {
    end = case_random() & 1 ? r->items
                            : begin + 1 + case_random() % (uint32_t)r->items;
    end = (end + grain - 1) / grain * grain;
    if (end > r->items) end = r->items;
    assert_int_equal(r->kernel->run_range(&r->call, begin, end), TENON_OK);
  }
}

static void check_kernel(const op_case *c, const tenon_kernel_desc *k,
                         unsigned char *const *want, const char *name) {
  const int rubbish = (int)(case_random() & 0xff), other = rubbish ^ 1;
  case_run r;
  assert_true(case_run_of(&r, &c->call, k, rubbish));
  for (size_t i = 0; i < c->call.n_out; ++i)
    memset(c->room[i], other, c->size[i] + 2 * CASE_GUARD);
  run_ranges(&r);
  for (size_t i = 0; i < c->call.n_out; ++i) {
    const unsigned char *room = c->room[i];
    CHECK(is_same(&c->out[i], want[i], c->size[i]),
          "%s, %s: result %zu differs", k->symbol, name, i);
    CHECK(is_filled(room, CASE_GUARD, other) &&
              is_filled(room + CASE_GUARD + c->size[i], CASE_GUARD, other),
          "%s, %s: wrote beside result %zu", k->symbol, name, i);
  }
  CHECK(is_filled(r.scratch + r.scratch_size, CASE_GUARD, rubbish),
        "%s, %s: wrote past its scratch", k->symbol, name);
  case_run_deinit(&r);
}

// Over operand 0, where the kernel may.
static void check_in_place(const op_case *c, const tenon_kernel_desc *k,
                           unsigned char *const *want, const char *name) {
  case_run r;
  if (!(k->in_place & TENON_IN_PLACE(0, 0)) ||
      op_case_bytes(&c->in[0]) != c->size[0])
    return;
  assert_true(case_run_of(&r, &c->call, k, 0));
  memcpy(c->out[0].data, c->in[0].data, c->size[0]);
  r.in[0].data = c->out[0].data;
  run_ranges(&r);
  CHECK(is_same(&c->out[0], want[0], c->size[0]),
        "%s, %s: differs where it lies over its operand", k->symbol, name);
  case_run_deinit(&r);
}

static void run_reference(const op_case *c, unsigned char **want) {
  case_run r;
  assert_true(case_run_of(&r, &c->call, c->reference, 0));
  for (size_t i = 0; i < c->call.n_out; ++i)
    memset(c->out[i].data, 0, c->size[i]);
  const tenon_kernel_desc *k = c->reference;
  assert_int_equal(k->run ? k->run(&r.call) : k->run_range(&r.call, 0, r.items),
                   TENON_OK);
  for (size_t i = 0; i < c->call.n_out; ++i) {
    want[i] = malloc(c->size[i] + 1);
    memcpy(want[i], c->out[i].data, c->size[i]);
  }
  case_run_deinit(&r);
}

int test_op_check(const op_case *c, const char *op, const char *types,
                  const char *name) {
  unsigned char *want[OP_CASE_OUT] = {NULL};
  int checked = 0;
  run_reference(c, want);
  for (int i = 0; i < LISTS; ++i) {
    for (const tenon_kernel_desc *const *k = list_of(i); *k; ++k) {
      if (strcmp((*k)->op, op) != 0 || !test_can_run(*k) ||
          strncmp((*k)->types, types, strlen(types)) != 0 ||
          ((*k)->match && !(*k)->match(&c->call)))
        continue;
      check_kernel(c, *k, want, name);
      check_in_place(c, *k, want, name);
      ++checked;
    }
  }
  for (int i = 0; i < OP_CASE_OUT; ++i)
    free(want[i]);
  return checked;
}
