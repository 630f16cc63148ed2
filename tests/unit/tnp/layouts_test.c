// What kernels pack into program files has the form that it had: a kernel reads
// a block that an older build of it packed, as long as name and version agree
// (pack_name, pack_version), so another form without another version computes
// wrong numbers. layouts.def has a hash of each; packing is plain C, so that
// every machine packs for all kernels.
#include "base/hash.h"
#include "core/dtype.h"
#include "harness/model.h"
#include "kern/product/conv.h"
#include "kern/product/strassen.h"
#include "kern/product/volume.h"
#include "kern/product/weight_only.h"
#include "kern/product/winograd.h"
#include "program/program.h"

// --- fixed cases -------------------------------------------------------------

enum { OPERANDS = 6, NARROW = 1, QUANTISED = 2 };

typedef struct operand {
  tenon_dtype type;  // 0: absent
  uint8_t rank, how;
  int32_t dims[5];
} operand;

typedef struct layout_case {
  const char *op, *types;  // what the kernel's begin with
  const void *attrs;
  operand in[OPERANDS];
} layout_case;

static const int64_t ones[] = {1, 1, 1}, pads[] = {1, 1, 1, 1, 1, 1};
#define CLAMP .lo = {-1.5, true}, .hi = {2.5, true}
static const tenon_conv_attrs conv = {.stride = {ones, 2},
                                      .pad = {pads, 4},
                                      .dilation = {ones, 2},
                                      .groups = 1,
                                      CLAMP};
static const tenon_depthwise_conv_attrs depthwise = {
    .stride = {ones, 2}, .pad = {pads, 4}, .dilation = {ones, 2}, CLAMP};
static const tenon_depthwise_conv3d_attrs deep = {
    .stride = {ones, 3}, .pad = {pads, 6}, .dilation = {ones, 3}, CLAMP};
static const tenon_conv3d_attrs whole = {
    .stride = {ones, 3}, .pad = {pads, 6}, .dilation = {ones, 3}, .groups = 1};
static const tenon_conv_transpose3d_attrs transposed = {
    .stride = {ones, 3}, .pad = {pads, 6}, .dilation = {ones, 3}, .groups = 2};
static const tenon_conv_winograd_attrs winograd = {
    .pad = {pads, 4}, .tile = 2, CLAMP};
static const tenon_conv_winograd_attrs winograd4 = {
    .pad = {pads, 4}, .tile = 4, CLAMP};
static const tenon_strassen_attrs strassen = {CLAMP};
static const tenon_fully_connected_attrs connected = {CLAMP};
static const tenon_weight_only_attrs weight_only = {.adds = false};

#define F32(rank, ...)    \
  {                       \
    TENON_F32, rank, 0, { \
      __VA_ARGS__         \
    }                     \
  }
#define S8(how, rank, ...) \
  {                        \
    TENON_S8, rank, how, { \
      __VA_ARGS__          \
    }                      \
  }
#define NONE   \
  {            \
    0, 0, 0, { \
      0        \
    }          \
  }

// No count of channels fills the panels, but where the kernels ask for it.
static const layout_case cases[] = {
    {"core::conv",
     "f32, f32",
     &conv,
     {F32(4, 1, 6, 6, 5), F32(4, 19, 3, 3, 5), F32(1, 19), F32(1, 19),
      F32(1, 19)}},
    {"core::conv",
     "f32, f32",
     &conv,
     {F32(4, 1, 6, 6, 5), F32(4, 35, 3, 1, 5), NONE, NONE, NONE}},
    {"core::depthwise_conv",
     "f32, f32",
     &depthwise,
     {F32(4, 1, 6, 6, 19), F32(4, 1, 3, 3, 19), F32(1, 19), F32(1, 19),
      F32(1, 19)}},
    {"core::depthwise_conv3d",
     "f32, f32",
     &deep,
     {F32(5, 1, 4, 6, 6, 19), F32(5, 1, 2, 3, 3, 19), F32(1, 19), F32(1, 19),
      F32(1, 19)}},
    {"core::conv3d",
     "f32, f32",
     &whole,
     {F32(5, 1, 4, 6, 6, 5), F32(5, 19, 2, 3, 3, 5), F32(1, 19)}},
    {"core::conv_transpose3d",
     "f32, f32",
     &transposed,
     {F32(5, 1, 4, 6, 6, 10), F32(5, 38, 2, 3, 3, 5), NONE}},
    {"core::fully_connected",
     "f16, f32",
     &connected,
     {{TENON_F16, 2, 0, {3, 21}}, F32(2, 19, 21), F32(1, 19)}},
    {"core::fully_connected",
     "bf16, f32",
     &connected,
     {{TENON_BF16, 2, 0, {3, 21}}, F32(2, 19, 21), F32(1, 19)}},
    {"core::fully_connected",
     "f32, f32",
     &connected,
     {F32(2, 3, 21), F32(2, 37, 21), F32(1, 37), NONE, NONE}},
    {"core::conv_winograd",
     "f32, f32",
     &winograd,
     {F32(4, 1, 8, 8, 16), F32(4, 32, 3, 3, 16), F32(1, 32), NONE, NONE}},
    {"core::conv_winograd",
     "f32, f32",
     &winograd4,
     {F32(4, 1, 8, 8, 16), F32(4, 32, 3, 3, 16), F32(1, 32), NONE, NONE}},
    {"core::fully_connected_strassen",
     "f32, f32",
     &strassen,
     {F32(2, 3, 32), F32(4, 96, 1, 1, 32), F32(1, 96), NONE, NONE}},
    {"core::conv",
     "f32, s8",
     &conv,
     {F32(4, 1, 6, 6, 5), S8(QUANTISED, 4, 19, 3, 3, 5), F32(1, 19)}},
    {"core::depthwise_conv",
     "f32, s8",
     &depthwise,
     {F32(4, 1, 6, 6, 19), S8(QUANTISED, 4, 1, 3, 3, 19), F32(1, 19)}},
    {"core::fully_connected",
     "f32, s8",
     &connected,
     {F32(2, 3, 21), S8(QUANTISED, 2, 37, 21), F32(1, 37)}},
    {"core::weight_only_linear",
     "f32, s8",
     &weight_only,
     {F32(2, 3, 24), S8(0, 2, 37, 24), F32(2, 37, 2), F32(2, 37, 2),
      F32(1, 37)}},
    {"core::weight_only_linear",
     "f32, s8",
     &weight_only,
     {F32(2, 3, 24), S8(NARROW, 2, 150, 24), F32(2, 150, 3), NONE, NONE}},
    {"core::lstm",
     "f32, f32",
     NULL,
     {F32(3, 2, 3, 28), F32(2, 28, 5), F32(1, 28), F32(2, 3, 5), F32(2, 3, 7),
      F32(2, 5, 7)}},
    {"core::gru",
     "f32, f32",
     NULL,
     {F32(3, 2, 3, 21), F32(2, 21, 7), F32(1, 21), F32(2, 3, 7), NONE, NONE}},
    {"core::rnn",
     "f32, f32",
     NULL,
     {F32(3, 2, 3, 19), F32(2, 19, 19), NONE, F32(2, 3, 19), NONE, NONE}},
    {"core::integer_linear",
     "s8, s8",
     NULL,
     {S8(0, 2, 3, 21), S8(0, 2, 37, 21)}},
    {"core::dynamic_linear",
     "s8, s8",
     NULL,
     {S8(0, 2, 3, 22), S8(0, 2, 37, 22), F32(2, 3, 1), NONE, F32(2, 37, 2),
      F32(1, 37)}},
};

static const float scale[] = {0.5f};
static const tenon_quant quant = {scale, NULL, 1, 0, 0};

// Multiples of a quarter, which no sum or half of a few rounds.
static void fill(tenon_tensor *t, const operand *o, unsigned seed) {
  *t = (tenon_tensor){.dims = o->dims, .dtype = o->type, .rank = o->rank};
  if (!o->type) return;
  const size_t n = tenon_count(t);
  t->data = malloc(n * sizeof(float));
  if (o->how == QUANTISED) t->quant = &quant;
  for (size_t i = 0; i < n; ++i) {
    const int value = (int)((i * 37 + seed * 13) % 101) - 50;
    if (o->type == TENON_F32)
      ((float *)t->data)[i] = 0.25f * (float)value;
    else
      ((int8_t *)t->data)[i] =
          (int8_t)(o->how == NARROW ? value % 8 : 2 * value);
  }
}

// Goes on with a hash of what the kernel packs in this case.
static uint64_t hash_case(const tenon_kernel_desc *k, const layout_case *one,
                          uint64_t hash) {
  tenon_tensor in[OPERANDS], out[3] = {{.data = NULL}};
  tenon_call c = {.in = in,
                  .out = out,
                  .attrs = one->attrs,
                  .user = k->user,
                  .n_in = OPERANDS,
                  .n_out = 3};
  for (unsigned i = 0; i < OPERANDS; ++i)
    fill(&in[i], &one->in[i], i);
  const size_t size = k->pack_size(&c);
  void *packed = tenon_heap_take(size, 64);
  memset(packed, 0, size);  // as compiling does
  CHECK(size > 0 && k->pack(&c, packed) == TENON_OK, "%s", k->symbol);
  CHECK(k->pack_check(&c, packed), "%s refuses its own", k->symbol);
  hash = tenon_hash(packed, size, hash);
  tenon_heap_give(packed);
  for (unsigned i = 0; i < OPERANDS; ++i)
    free(in[i].data);
  return hash;
}

// --- what was recorded -------------------------------------------------------

static const struct {
  const char *layout;
  uint32_t version;
  const char *op;
  uint64_t hash;
} recorded[] = {
#define LAYOUT(layout, version, op, hash) {layout, version, op, hash},
#include "layouts.def"
#undef LAYOUT
};

static bool is_recorded(const tenon_kernel_desc *k, const char *op,
                        uint64_t hash) {
  const char *layout = tenon_kernel_layout(k), *wrong = NULL;
  bool is_known = false;
  EACH_ROW(i, recorded) {
    if (strcmp(recorded[i].layout, layout) != 0 ||
        strcmp(recorded[i].op, op) != 0)
      continue;
    if (recorded[i].version > k->pack_version)
      wrong = "its version was a later one: a version is never used again";
    if (recorded[i].version != k->pack_version) continue;
    is_known = true;
    if (recorded[i].hash != hash)
      wrong =
          "this version packed other bytes. If that is meant, raise "
          "pack_version of all kernels of this layout, so that program files "
          "of before are packed again, and add the line with that version";
  }
  if (is_known && !wrong) return true;
  print_error("%s of %s: %s\n  LAYOUT(\"%s\", %u, \"%s\", 0x%016llx)\n",
              k->symbol, op,
              wrong ? wrong : "add this line to tests/unit/tnp/layouts.def",
              layout, (unsigned)k->pack_version, op, (unsigned long long)hash);
  return false;
}

static void forms_are_as_recorded(void **state) {
  static tenon_registered list[8192];
  test_model t;
  size_t checked = 0, wrong = 0;
  (void)state;
  model_open(&t, NULL);
  assert_int_equal(tenon_context_freeze(t.cx), TENON_OK);
  const size_t n = tenon_context_list(t.cx, TENON_REGISTRY_KERNELS, list,
                                      sizeof list / sizeof *list);
  CHECK(n <= sizeof list / sizeof *list, "%zu kernels", n);
  for (size_t i = 0; i < n; ++i) {
    const tenon_kernel_desc *k = (const tenon_kernel_desc *)list[i].desc;
    uint64_t hash = TENON_HASH_SEED;
    size_t taken = 0;
    if (!k->pack_check) continue;
    EACH_ROW(j, cases) {
      if (strcmp(cases[j].op, list[i].op) != 0 ||
          strncmp(cases[j].types, k->types, strlen(cases[j].types)) != 0)
        continue;
      hash = hash_case(k, &cases[j], hash);
      ++taken;
    }
    CHECK(taken > 0, "%s of %s: files hold what it packs; it needs a case here",
          k->symbol, list[i].op);
    if (!is_recorded(k, list[i].op, hash)) ++wrong;
    ++checked;
  }
  model_close(&t);
  if (!checked)
    print_message("this build has no kernels that files hold blocks of\n");
  if (!checked) skip();
  CHECK(wrong == 0, "%zu of %zu kernels", wrong, checked);
}

TEST_GROUP(layouts, cmocka_unit_test(forms_are_as_recorded))
