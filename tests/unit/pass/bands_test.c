// Which layers pass `bands` computes some rows at a time, for which targets,
// and that no bit changes.
#include "pass_rows.h"
#include "stranger.h"

#define N_MODELS 12
// A weight of any shape, of one number.
#define WEIGHT(name, shape) "%" name " = core::expand(%k) [shape=[" shape "]]\n"
#define M(x, body)                                         \
  "module { %x = input f32[" x                             \
  "]\n%k = const f32[] {0.0625}\n" WEIGHT("e", "64,1,1,8") \
      WEIGHT("d", "1,3,3,64") WEIGHT("p", "8,1,1,64") body "\nreturn %y }"
#define X "1,112,112,8"
#define EXPAND "%a = core::conv(%x, %e) [hi=6.0]\n"
#define DEPTHWISE \
  "%b = core::depthwise_conv(%a, %d) [stride=[2,2], pad=[1,1,0,0]]\n"

static const struct {
  const char *text;
  size_t bands;  // depthwise convolutions that one becomes
} rows[N_MODELS] = {
    {M(X, EXPAND DEPTHWISE "%y = core::conv(%b, %p)"), 4},
    // Functions of elements behind go with it; rows of them are kept.
    {M(X, "%s = core::conv(%x, %e)\n%a = core::silu(%s)\n" DEPTHWISE
          "%t = core::conv(%b, %p)\n%y = core::silu(%t)"),
     4},
    // A residue, which stays in the cache.
    {M(X, EXPAND "%b = core::depthwise_conv(%a, %d) [pad=[1,1,1,1]]\n"
                 "%q = core::conv(%b, %p)\n%y = core::add(%q, %x)"),
     4},
    // A stranger's operator that says it is element-wise.
    {M(X, "%s = core::conv(%x, %e)\n%a = acme::bend(%s)\n" DEPTHWISE
          "%y = core::conv(%b, %p)"),
     4},
    // An operand of fewer dimensions, the same for all rows; and one that has
    // rows of its own.
    {M(X,
       "%f = core::slice(%x) [begin=[0,0,0,0], size=[1,1,112,1], "
       "step=[1,1,1,1]]\n"
       "%r = core::reshape(%f) [shape=[1,112,1]]\n"
       "%s = core::conv(%x, %e)\n%a = core::mul(%s, %r)\n" DEPTHWISE
       "%y = core::conv(%b, %p)"),
     4},
    {M(X,
       "%f = core::slice(%x) [begin=[0,0,0,0], size=[1,112,1,1], "
       "step=[1,1,1,1]]\n"
       "%r = core::reshape(%f) [shape=[112,1,1]]\n"
       "%s = core::conv(%x, %e)\n%a = core::mul(%s, %r)\n" DEPTHWISE
       "%y = core::conv(%b, %p)"),
     1},
    // No depthwise convolution, or nothing large.
    {M(X, EXPAND "%y = core::conv(%a, %p)"), 0},
    {M("1,48,48,8", EXPAND DEPTHWISE "%y = core::conv(%b, %p)"), 1},
    // What comes out may be as large.
    {M(X, EXPAND "%y = core::depthwise_conv(%a, %d) [pad=[1,1,1,1]]"), 4},
    // What is large is read besides, or goes in.
    {M(X, EXPAND DEPTHWISE "%q = core::conv(%b, %p)\n"
                           "%m = core::mean(%a) [dims=[1,2]]\n"
                           "%n = core::mean(%m) [dims=[1]]\n"
                           "%y = core::add(%q, %n)"),
     1},
    {M("1,112,112,64",
       "%b = core::depthwise_conv(%x, %d) [stride=[2,2], pad=[1,1,0,0]]\n"
       "%y = core::conv(%b, %p)"),
     1},
    // Several images.
    {M("2,112,112,8", EXPAND DEPTHWISE "%y = core::conv(%b, %p)"), 1},
};

// The module for a target, after a pipeline.
static tenon_module *bands_module(test_model *t, size_t row, const char *target,
                                  const char *pipeline) {
  const char *text = rows[row].text;
  tenon_module *m = NULL;
  CHECK(tenon_module_read(t->cx, text, strlen(text), NULL, &m) == TENON_OK,
        "%s", t->log.text);
  CHECK(tenon_module_set_target(m, target) == TENON_OK, "%s", t->log.text);
  CHECK(tenon_module_transform(m, pipeline, NULL, NULL) == TENON_OK, "%s",
        t->log.text);
  return m;
}

static void takes_what_is_large_between_small(void **state) {
  static const struct {
    const char *target;
    bool is_cut;
  } targets[] = {{"x86-64-v3", true},
                 {"aarch64", true},
                 {"c", false},
                 {"cortex-m55", false}};
  test_model t;
  (void)state;
  model_open(&t, &stranger);
  EACH_ROW(k, targets) {
    EACH_ROW(i, rows) {
      tenon_module *m =
          bands_module(&t, i, targets[k].target, "fold,dce,bands");
      const char *after = model_print(&t, m);
      const size_t n = model_count(after, "core::depthwise_conv(");
      const size_t want =
          targets[k].is_cut ? rows[i].bands : (size_t)(rows[i].bands > 0);
      CHECK(n == want, "%s, row %zu: %zu, not %zu in\n%s", targets[k].target, i,
            n, want, after);
      tenon_module_destroy(m);
    }
  }
  model_close(&t);
}

static void bands_run(test_model *t, size_t row, const char *pipeline,
                      tenon_buf *bits, uint64_t *arena) {
  tenon_module *m = bands_module(t, row, "host", NO_PASSES ",fold,dce");
  const tenon_entry entry = {NULL, m, NULL};
  tenon_compile_options o = {.struct_size = sizeof o, .pipeline = pipeline};
  tenon_program_stats stats = {.struct_size = sizeof stats};
  tenon_program *p = NULL;
  test_run r;
  CHECK(tenon_program_compile(&entry, 1, &o, &p) == TENON_OK, "%s",
        t->log.text);
  tenon_program_measure(p, &stats);
  *arena = stats.arena;
  run_open(&r, p, 0, NULL);
  run_append(&r, 1, bits);
  run_close(&r);
  tenon_program_destroy(p);
  tenon_module_destroy(m);
}

static void bands_change_no_bit(void **state) {
  test_model t;
  (void)state;
  model_open(&t, &stranger);
  EACH_ROW(i, rows) {
    tenon_buf bits[2];
    uint64_t arena[2];
    tenon_buf_init(&bits[0], tenon_heap());
    tenon_buf_init(&bits[1], tenon_heap());
    bands_run(&t, i, "dce", &bits[0], &arena[0]);
    bands_run(&t, i, "dce,bands", &bits[1], &arena[1]);
    assert_int_equal(bits[0].size, bits[1].size);
    assert_memory_equal(bits[0].data, bits[1].data, bits[0].size);
    assert_true(arena[1] <= arena[0]);
    tenon_buf_deinit(&bits[0]);
    tenon_buf_deinit(&bits[1]);
  }
  model_close(&t);
}

TEST_GROUP(bands, cmocka_unit_test(takes_what_is_large_between_small),
           cmocka_unit_test(bands_change_no_bit))
