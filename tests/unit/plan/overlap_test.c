// Results over operands that are still being read: less memory, the same bits.
#include "harness/model.h"
#include "program/program.h"

static uint32_t draw(uint32_t *seed, uint32_t below) {
  *seed = *seed * 1664525u + 1013904223u;
  return (*seed >> 8) % below;
}

// Types of images, weights and biases of all kernels that allow it.
typedef struct types {
  const char *x, *x_quant, *w, *w_quant, *bias, *bias_quant;
  bool is_tiled;  // by kernels that want weights to be constants
  const char *u;  // weights of the product, where they are others
} types;
static const types kinds[] = {
    {"f32", "", "f32", "", "f32", "", false, NULL},
    {"f32", "", "s8", "{0.25:0}", "f32", "", false, NULL},
    {"s8", "{0.5:-3}", "s8", "{0.25:0}", "s32", "{0.125:0}", false, NULL},
    {"s16", "{0.5:0}", "s8", "{0.25:0}", "s64", "{0.125:0}", false, NULL},
    {"s8", "{0.5:-3}", "s8", "{0.25:0}", "s32", "{0.125:0}", true, NULL},
    {"s16", "{0.5:0}", "s8", "{0.25:0}", "s64", "{0.125:0}", false, "s16"},
};
static const types *kind_of(uint32_t number) {
  return &kinds[number % COUNT(kinds)];
}

// Weights, as an input or a constant.
static void put_weights(tenon_buf *text, const types *k, char name,
                        const unsigned *dims, int rank, uint32_t *seed) {
  unsigned count = 1;
  tenon_buf_format(text, "%%%c = %s %s[", name, k->is_tiled ? "const" : "input",
                   k->w);
  for (int i = 0; i < rank; ++i) {
    tenon_buf_format(text, i ? ",%u" : "%u", dims[i]);
    count *= dims[i];
  }
  tenon_buf_format(text, "]%s", k->w_quant);
  for (unsigned i = 0; k->is_tiled && i < count; ++i)
    tenon_buf_format(text, i ? ", %d" : " {%d", (int)draw(seed, 255) - 127);
  tenon_buf_text(text, k->is_tiled ? "}\n" : "\n");
}

// Places of a window of `taps`, `far` apart, on `size` elements with `pad`.
static unsigned places(unsigned size, unsigned pad, unsigned taps, unsigned far,
                       unsigned step) {
  return (size + pad - (taps - 1) * far - 1) / step + 1;
}

// Two convolutions of some shape, the second depthwise, and a product.
static void make_text(uint32_t number, tenon_buf *text) {
  uint32_t seed = number * 7919 + 1;
  const types *k = kind_of(number);
  unsigned taps = 1 + draw(&seed, 3), step = 1 + draw(&seed, 2);
  unsigned wide = 6 + draw(&seed, 6), high = 6 + draw(&seed, 6);
  unsigned in = 1 + draw(&seed, 4), out = 1 + draw(&seed, 6);
  unsigned times = out * (1 + draw(&seed, 2)), far = 1 + draw(&seed, 2);
  unsigned top = draw(&seed, 2), left = draw(&seed, 2);
  unsigned made = 1 + draw(&seed, 12), n = 1 + draw(&seed, 2);
  unsigned a_h = places(high, top + 1, taps, 1, step);
  unsigned a_w = places(wide, left + 1, taps, far, 1);
  unsigned y_h = places(a_h, 1, 2, 1, 1), y_w = places(a_w, left, 2, 1, step);
  tenon_buf_clear(text);
  tenon_buf_format(text, "module { %%x = input %s[%u,%u,%u,%u]%s\n", k->x, n,
                   high, wide, in, k->x_quant);
  put_weights(text, k, 'w', (unsigned[]){out, taps, taps, in}, 4, &seed);
  put_weights(text, k, 'v', (unsigned[]){1, 2, 2, times}, 4, &seed);
  types product = *k;
  if (k->u) product.w = k->u;
  put_weights(text, &product, 'u', (unsigned[]){made, times}, 2, &seed);
  if (!k->is_tiled)
    tenon_buf_format(text, "%%b = input %s[%u]%s\n", k->bias, made,
                     k->bias_quant);
  tenon_buf_format(text,
                   "%%a = core::conv(%%x, %%w) [stride=[%u,1], "
                   "pad=[%u,%u,1,1], dilation=[1,%u]] : %s[%u,%u,%u,%u]%s\n",
                   step, top, left, far, k->x, n, a_h, a_w, out, k->x_quant);
  tenon_buf_format(text,
                   "%%y = core::depthwise_conv(%%a, %%v) [stride=[1,%u], "
                   "pad=[0,%u,1,0]] : %s[%u,%u,%u,%u]%s\n",
                   step, left, k->x, n, y_h, y_w, times, k->x_quant);
  tenon_buf_format(text,
                   "%%z = core::fully_connected(%%y, %%u%s) : "
                   "%s[%u,%u,%u,%u]%s\nreturn %%z }",
                   k->is_tiled ? "" : ", %b", k->x, n, y_h, y_w, made,
                   k->x_quant);
}

// Three runs, with so many threads.
static void run(const tenon_program *p, int threads, tenon_buf *out) {
  tenon_pool *pool = NULL;
  test_run r;
  tenon_session_options o = {.struct_size = sizeof o,
                             .flags = TENON_SESSION_DIVIDE_ALL};
  tenon_buf_clear(out);
  assert_int_equal(tenon_pool_create(NULL, threads, &pool), TENON_OK);
  o.parallel = tenon_pool_parallel(pool);
  run_open(&r, p, 0, &o);
  run_append(&r, 3, out);
  run_close(&r);
  tenon_pool_destroy(pool);
}

static const char *const tiles[] = {
    "core::conv=tenon_k_conv_s8_tile",
    "core::depthwise_conv=tenon_k_depthwise_conv_s8_ref",
    "core::fully_connected=tenon_k_fully_connected_s8_tile", NULL};

static tenon_program *plan_with(test_model *t, const char *text, uint32_t flags,
                                const char *const *kernels) {
  tenon_compile_options o = {.struct_size = sizeof o,
                             .flags = flags,
                             .pipeline = NO_PASSES,
                             .kernels = kernels};
  return model_compile(t, text, &o);
}
static tenon_program *plan(test_model *t, const char *text, uint32_t flags) {
  return plan_with(t, text, flags, NULL);
}

// Kernels of steps whose result lies over their operand.
static void note_kernels(const tenon_program *p, tenon_buf *names) {
  for (uint32_t i = 0; i < p->n_steps; ++i) {
    const tenon_step *s = &p->steps[i];
    const tenon_program_tensor *x = &p->tensors[p->operands[s->in]];
    const tenon_program_tensor *y = &p->tensors[p->operands[s->out]];
    const char *symbol = p->kernels[s->kernel].symbol;
    if (x->slot.offset < y->slot.offset + y->size &&
        y->slot.offset < x->slot.offset + x->size &&
        (!names->data || !strstr(names->data, symbol)))
      tenon_buf_format(names, "%s ", symbol);
  }
}

// All that declare it.
static const char *const declared[] = {
    "tenon_k_conv_f32_ref ",
    "tenon_k_conv_s8_ref ",
    "tenon_k_conv_s16q_ref ",
    "tenon_k_depthwise_conv_f32_ref ",
    "tenon_k_depthwise_conv_s8_ref ",
    "tenon_k_depthwise_conv_s16q_ref ",
    "tenon_k_fully_connected_f32_ref ",
    "tenon_k_fully_connected_f32s8_ref ",
    "tenon_k_fully_connected_s8_ref ",
    "tenon_k_fully_connected_s16q_ref ",
    "tenon_k_fully_connected_s16s16q_ref ",
    "tenon_k_conv_s8_tile ",
    "tenon_k_fully_connected_s8_tile ",
};

static void changes_no_bit(void **state) {
  enum { MODELS = 500 };
  size_t n_over = 0, n_less = 0;
  tenon_buf text, want, got, kernels;
  test_model t;
  (void)state;
  model_open(&t, NULL);
  tenon_buf_init(&kernels, tenon_heap());
  tenon_buf_init(&text, tenon_heap());
  tenon_buf_init(&want, tenon_heap());
  tenon_buf_init(&got, tenon_heap());
  for (uint32_t number = 0; number < MODELS; ++number) {
    make_text(number, &text);
    const char *const *forced = kind_of(number)->is_tiled ? tiles : NULL;
    tenon_program *plain =
        plan_with(&t, text.data, TENON_COMPILE_NO_OVERLAP, forced);
    tenon_program *over = plan_with(&t, text.data, 0, forced);
    run(plain, 1, &want);
    for (int threads = 1; threads <= 3; threads += 2) {
      run(over, threads, &got);
      CHECK(got.size == want.size && !memcmp(got.data, want.data, got.size),
            "%d threads of\n%s", threads, text.data);
    }
    CHECK(over->arena_size <= plain->arena_size, "%s", text.data);
    CHECK(plain->orderings[0].n_over == 0, "%s", text.data);
    note_kernels(over, &kernels);
    n_over += over->orderings[0].n_over;
    n_less += over->arena_size < plain->arena_size;
    tenon_program_destroy(plain);
    tenon_program_destroy(over);
  }
  CHECK(n_over > MODELS / 2 && n_less > MODELS / 2, "%zu of %zu", n_less,
        n_over);
  EACH_ROW(i, declared)
  CHECK(strstr(kernels.data, declared[i]), "%s: never", declared[i]);
  tenon_buf_deinit(&kernels);
  tenon_buf_deinit(&text);
  tenon_buf_deinit(&want);
  tenon_buf_deinit(&got);
  model_close(&t);
}

// A pixel of 2 channels becomes one of 4: what is written is never more than
// the operand's bytes ahead, and a pixel that is being written.
static void needs_what_the_window_says(void **state) {
  static const char text[] =
      "module { %x = input f32[1,8,8,2]\n%w = const f32[4,1,1,2] "
      "{1, 2, 3, 4, 5, 6, 7, 8}\n%y = core::conv(%x, %w)\nreturn %y }";
  test_model t;
  (void)state;
  model_open(&t, NULL);
  tenon_program *plain = plan(&t, text, TENON_COMPILE_NO_OVERLAP);
  tenon_program *over = plan(&t, text, 0);
  assert_int_equal(plain->arena_size, 64 * 2 * 4 + 64 * 4 * 4);
  assert_int_equal(over->arena_size, 64 * 4 * 4 + 2 * 4);
  assert_int_equal(over->orderings[0].plain, plain->arena_size);
  assert_int_equal(over->orderings[0].n_over, 1);
  tenon_program_destroy(plain);
  tenon_program_destroy(over);
  model_close(&t);
}

static void list_ones(tenon_buf *text, int n) {
  for (int i = 0; i < n; ++i)
    tenon_buf_text(text, i ? ", 1" : "{1");
  tenon_buf_text(text, "}\n");
}

// In place, tanh would tie the image, of which the first convolution leaves two
// thirds, to the result of the second, which is twice as large as its operand:
// 512 elements of that in front of 768. Apart they are never alive together.
static void parts_what_is_in_place(void **state) {
  tenon_buf text;
  test_model t;
  (void)state;
  model_open(&t, NULL);
  tenon_buf_init(&text, tenon_heap());
  tenon_buf_text(&text, "module { %x = input f32[1,16,16,3]\n");
  tenon_buf_text(&text, "%w = const f32[8,1,1,3] ");
  list_ones(&text, 24);
  tenon_buf_text(&text, "%u = const f32[16,1,1,8] ");
  list_ones(&text, 128);
  tenon_buf_text(&text, "%v = const f32[1,1,1,16] ");
  list_ones(&text, 16);
  tenon_buf_text(&text,
                 "%a = core::conv(%x, %w) [stride=2]\n%b = core::tanh(%a)\n"
                 "%c = core::conv(%b, %u)\n"
                 "%y = core::depthwise_conv(%c, %v) [stride=2]\nreturn %y }");
  tenon_program *p = plan(&t, text.data, 0);
  CHECK(p->arena_size < 1100 * 4, "%llu", (unsigned long long)p->arena_size);
  tenon_program_destroy(p);
  tenon_buf_deinit(&text);
  model_close(&t);
}

// What is read again later, or by another operand, stays.
static void keeps_what_is_read_again(void **state) {
  static const char *const rows[] = {
      "module { %x = input f32[1,8,8,2]\n%w = const f32[2,1,1,2] {1, 2, 3, 4}\n"
      "%y = core::conv(%x, %w)\n%z = core::add(%x, %y)\nreturn %z }",
      "module { %x = input f32[1,2,2,1]\n%y = core::conv(%x, %x) [pad=1]\n"
      "return %y }",
      "module { %x = input f32[1,8,8,2]\n%w = const f32[2,1,1,2] {1, 2, 3, 4}\n"
      "%y = core::conv(%x, %w)\nreturn %y, %x }",
  };
  test_model t;
  (void)state;
  model_open(&t, NULL);
  EACH_ROW(i, rows) {
    tenon_program *p = plan(&t, rows[i], 0);
    CHECK(p->orderings[0].n_over == 0, "row %zu", i);
    tenon_program_destroy(p);
  }
  model_close(&t);
}

// Two branches of convolutions: each order of their steps is tried, and none
// that is asked for by hand needs less, whatever way it is written down.
#define FIRST "%a = core::conv(%x, %w) [pad=1]\n"
#define SECOND "%b = core::depthwise_conv(%x, %v) [stride=2, pad=1]\n"
#define THIRD "%c = core::conv(%a, %u)\n"
#define BRANCHES(order)                                         \
  "module { %x = input f32[1,8,8,4]\n%w = input f32[6,3,3,4]\n" \
  "%v = input f32[1,3,3,4]\n%u = input f32[2,1,1,6]\n" order "return %b, %c }"

static void tries_every_order(void **state) {
  static const char *const rows[] = {BRANCHES(FIRST SECOND THIRD),
                                     BRANCHES(FIRST THIRD SECOND),
                                     BRANCHES(SECOND FIRST THIRD)};
  uint64_t least = UINT64_MAX, most = 0;
  tenon_buf want, got;
  test_model t;
  (void)state;
  model_open(&t, NULL);
  tenon_buf_init(&want, tenon_heap());
  tenon_buf_init(&got, tenon_heap());
  EACH_ROW(i, rows) {
    tenon_program *p = plan(&t, rows[i], TENON_COMPILE_KEEP_ORDER);
    if (p->arena_size < least) least = p->arena_size;
    if (p->arena_size > most) most = p->arena_size;
    assert_int_equal(p->orderings[0].n_orders, 0);
    if (i == 0) run(p, 1, &want);
    tenon_program_destroy(p);
  }
  CHECK(least < most, "all orders need %llu", (unsigned long long)most);
  EACH_ROW(i, rows) {
    tenon_program *p = plan(&t, rows[i], 0);
    const tenon_program_ordering *o = &p->orderings[0];
    CHECK(o->n_orders == 3, "row %zu: %u orders", i, o->n_orders);
    CHECK(p->arena_size == least, "row %zu: %llu, an order needs %llu", i,
          (unsigned long long)p->arena_size, (unsigned long long)least);
    CHECK(o->bound <= o->peak, "row %zu", i);
    run(p, 1, &got);
    CHECK(got.size == want.size && !memcmp(got.data, want.data, got.size),
          "row %zu", i);
    tenon_program_destroy(p);
  }
  tenon_buf_deinit(&want);
  tenon_buf_deinit(&got);
  model_close(&t);
}

TEST_GROUP(overlap, cmocka_unit_test(tries_every_order),
           cmocka_unit_test(changes_no_bit),
           cmocka_unit_test(needs_what_the_window_says),
           cmocka_unit_test(parts_what_is_in_place),
           cmocka_unit_test(keeps_what_is_read_again))
