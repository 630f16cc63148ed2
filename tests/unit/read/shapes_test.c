// Tests of read/shapes.c: sizes that a file leaves open, fixed by name.
#include "read/shapes.h"

#include "unit/read/models.h"

// An input with two open sizes, one of them twice another's expression, and a
// region and an attribute that depend on them.
static const char text[] =
    "module \"m\" {\n"
    "  dim n = 1..64\n"
    "  dim k = 2..8\n"
    "  entry \"main\" = @0 (\"x\", \"y\", \"p\") -> (\"r\")\n"
    "  func @0 \"main\" (%x: f32[?n,3], %y: f32[?n*2,?k], %p: bool[]) {\n"
    "    %a = \"custom::shaped\"(%x) [size=[?n, ?k]] : f32[?n,?k]\n"
    "    %r = core::cond(%p, [%a]) : f32[?n,?k] {\n"
    "      (%t: f32[?n,?k]) {\n        return %t\n      }\n"
    "      (%e: f32[?n,?k]) {\n        return %e\n      }\n"
    "    }\n"
    "    return %r\n"
    "  }\n"
    "}\n";

static void read_with(world *w, const char *first, const char *second,
                      int64_t batch) {
  const char *shapes[] = {first, second, NULL};
  tenon_read_options options = {
      .struct_size = sizeof options, .shapes = shapes, .batch = batch};
  world_read(w, text, sizeof text - 1, &options);
}

static const tenon_type *param(const world *w, int i) {
  return &w->m->functions.data[0]->params[i]->type;
}

static void fixes_sizes_and_what_depends_on_them(void **state) {
  (void)state;
  world w;
  world_open(&w, NULL);
  read_with(&w, "x=5x3", "k=4", 0);
  CHECK(w.status == TENON_OK, "%s", w.log.text);
  assert_int_equal(param(&w, 0)->dims[0].value, 5);
  assert_int_equal(param(&w, 1)->dims[0].value, 10);
  assert_int_equal(param(&w, 1)->dims[1].value, 4);
  const tenon_node *shaped = node_at(&w, 0, 0), *cond = node_at(&w, 0, 1);
  assert_int_equal(shaped->out[0]->type.dims[1].value, 4);
  assert_int_equal(tenon_node_size(shaped, "size", 0).value, 5);
  assert_int_equal(cond->regions[1]->params[0]->type.dims[0].value, 5);
  read_with(&w, "y=6x2", NULL, 3);
  CHECK(w.status == TENON_OK, "%s", w.log.text);
  assert_int_equal(param(&w, 0)->dims[0].value, 3);
  // An expression of one size says what that is, and bounds it.
  read_with(&w, "y=8x2", NULL, 0);
  CHECK(w.status == TENON_OK, "%s", w.log.text);
  assert_int_equal(param(&w, 0)->dims[0].value, 4);
  read_with(&w, "y=<=9x2", NULL, 0);
  CHECK(w.status == TENON_OK, "%s", w.log.text);
  assert_int_equal(
      tenon_symbols_look(&w.m->symbols, param(&w, 0)->dims[0].symbol)->max, 4);
  read_with(&w, "p=", NULL, 0);
  CHECK(w.status == TENON_OK, "%s", w.log.text);
  assert_int_not_equal(param(&w, 0)->dims[0].symbol, 0);
  world_close(&w);
}

static void refuses_what_does_not_fit(void **state) {
  (void)state;
  static const struct {
    const char *first, *second;
    int64_t batch;
    tenon_status status;
    const char *text;
  } rows[] = {
      {"x", NULL, 0, TENON_BAD_ARGUMENT, "expected 'INPUT=1x3x224x224'"},
      {"=3", NULL, 0, TENON_BAD_ARGUMENT, "expected 'INPUT"},
      {"x=5xy", NULL, 0, TENON_BAD_ARGUMENT, "'y' is not a size"},
      {"x=-1x3", NULL, 0, TENON_BAD_ARGUMENT, "'-1' is not a size"},
      {"x=1x1x1x1x1x1x1x1x1", NULL, 0, TENON_BAD_ARGUMENT, "more than 8"},
      {"xx=5x3", NULL, 0, TENON_BAD_ARGUMENT, "no input or open size"},
      {"n=5x3", NULL, 0, TENON_BAD_ARGUMENT, "no input or open size"},
      {"nonsense=5", NULL, 0, TENON_BAD_ARGUMENT, "no input or open size"},
      {"x=5", NULL, 0, TENON_BAD_INPUT, "2 dimensions, not 1"},
      {"x=5x4", NULL, 0, TENON_BAD_INPUT, "dimension 1 of the input is 3"},
      {"x=65x3", NULL, 0, TENON_BAD_INPUT, "'n' is 1 to 64, not 65"},
      {"x=5x3", "n=6", 0, TENON_BAD_INPUT, "'n' is 5 already"},
      {"y=7x2", NULL, 0, TENON_BAD_INPUT, "no size makes dimension"},
      {"y=7x2", "n=3", 0, TENON_BAD_INPUT, "dimension 0 of the input is 6"},
      {"n=<=0", NULL, 0, TENON_BAD_INPUT, "'n' is at least 1"},
      {"n=7", "n=<=6", 0, TENON_BAD_INPUT, "'n' is 7 already"},
      {"x=<=5", NULL, 0, TENON_BAD_INPUT, "2 dimensions, not 1"},
      {"nn=<=5", NULL, 0, TENON_BAD_ARGUMENT, "no input or open size"},
      {"k=4", NULL, -2, TENON_BAD_ARGUMENT, "a batch of -2"},
      {"k=4", NULL, 65, TENON_BAD_INPUT, "not 65"},
  };
  world w;
  world_open(&w, NULL);
  EACH_ROW(i, rows) {
    read_with(&w, rows[i].first, rows[i].second, rows[i].batch);
    CHECK(w.status == rows[i].status, "row %zu: %d %s", i, w.status,
          w.log.text);
    CHECK(w.log.errors == 1, "row %zu: %s", i, w.log.text);
    CHECK_LOG(&w.log, "read-shape", rows[i].text, i);
  }
  world_close(&w);
}

static void bounds_what_stays_open(void **state) {
  (void)state;
  world w;
  world_open(&w, NULL);
  read_with(&w, "x=<=5x3", "k=<=2", 0);
  CHECK(w.status == TENON_OK, "%s", w.log.text);
  const tenon_symbol *n =
      tenon_symbols_look(&w.m->symbols, param(&w, 0)->dims[0].symbol);
  assert_true(n && n->min == 1 && n->max == 5);
  // One value is left of it.
  assert_true(param(&w, 1)->dims[1].symbol == 0);
  assert_int_equal(param(&w, 1)->dims[1].value, 2);
  world_close(&w);
}

static void offers_the_nearest_name(void **state) {
  (void)state;
  world w;
  world_open(&w, NULL);
  const char *shapes[] = {"batch_d1=5", NULL};
  tenon_read_options options = {.struct_size = sizeof options,
                                .shapes = shapes};
  world_load(&w, TEST_MODELS, "open_sizes", &options);
  CHECK_LOG(&w.log, "read-shape", "did you mean 'batch_d0'?", 0);
  world_close(&w);
}

static void fixes_the_batch_of_a_model(void **state) {
  (void)state;
  world w;
  world_open(&w, NULL);
  tenon_read_options options = {.struct_size = sizeof options, .batch = 6};
  world_load(&w, TEST_MODELS, "open_batch", &options);
  CHECK(w.status == TENON_OK, "%s", w.log.text);
  assert_int_equal(param(&w, 0)->dims[0].value, 6);
  // Declared with the size that the file was exported with: the rule counts.
  assert_int_equal(node_at(&w, 0, 1)->out[0]->type.dims[0].value, 6);
  world_load(&w, TEST_MODELS, "gain_map", &options);
  assert_int_equal(w.status, TENON_BAD_INPUT);
  CHECK_LOG(&w.log, "read-shape", "no input has an open first dimension", 0);
  world_close(&w);
}

static void refuses_a_size_that_a_run_finds_out(void **state) {
  (void)state;
  static const char decided[] =
      "module \"m\" {\n"
      "  dim c = 0..9\n"
      "  entry \"main\" = @0 (\"x\") -> (\"r\")\n"
      "  func @0 \"main\" (%x: f32[9]) {\n"
      "    %r = \"custom::some\"(%x) decides ?c : f32[?c]\n"
      "    return %r\n  }\n}\n";
  const char *shapes[] = {"c=3", NULL};
  tenon_read_options options = {.struct_size = sizeof options,
                                .shapes = shapes};
  world w;
  world_open(&w, NULL);
  world_read(&w, decided, sizeof decided - 1, &options);
  assert_int_equal(w.status, TENON_BAD_INPUT);
  CHECK_LOG(&w.log, "read-shape", "'c' is found out in a run", 0);
  world_close(&w);
}

static void keeps_numbers_that_a_run_finds_out(void **state) {
  (void)state;
  static const char found[] =
      "module \"m\" {\n"
      "  dim n = 1..64\n"
      "  dim u = ..\n"
      "  entry \"main\" = @0 (\"x\", \"y\") -> (\"r\", \"x\")\n"
      "  func @0 \"main\" (%x: f32[?n], %y: s64[]) {\n"
      "    aten::item(%y) decides ?u\n"
      "    %r = core::number() [value=[?u], dtype=s64] : s64[]\n"
      "    return %r, %x\n  }\n}\n";
  const char *shapes[] = {"n=3", NULL};
  tenon_read_options options = {.struct_size = sizeof options,
                                .shapes = shapes};
  world w;
  world_open(&w, NULL);
  world_read(&w, found, sizeof found - 1, &options);
  CHECK(w.status == TENON_OK, "%s", w.log.text);
  assert_int_equal(node_at(&w, 0, 0)->n_decided, 1);
  world_close(&w);
}

static void refuses_sizes_that_lead_nowhere(void **state) {
  (void)state;
  static const struct {
    const char *size, *text;
  } rows[] = {{"?n - 9", "dimension of -4"},
              {"?n * 2000000000", "dimension of 10000000000"},
              {"?n * 4000000000000000000", "overflow"},
              {"7 / (?n - 5)", "division by zero"}};
  world w;
  world_open(&w, NULL);
  EACH_ROW(i, rows) {
    char module[512];
    snprintf(module, sizeof module,
             "module \"m\" {\n  dim n = 1..64\n"
             "  entry \"main\" = @0 (\"x\") -> (\"r\")\n"
             "  func @0 \"main\" (%%x: f32[?n]) {\n"
             "    %%r = \"custom::some\"(%%x) : f32[%s]\n"
             "    return %%r\n  }\n}\n",
             rows[i].size);
    const char *shapes[] = {"n=5", NULL};
    tenon_read_options options = {.struct_size = sizeof options,
                                  .shapes = shapes};
    world_read(&w, module, strlen(module), &options);
    CHECK(w.status == TENON_BAD_INPUT, "row %zu: %s", i, w.log.text);
    CHECK_LOG(&w.log, "read-shape", rows[i].text, i);
  }
  world_close(&w);
}

// What an attribute of sizes becomes when they are numbers.
static void fixes_attributes_of_operators_with_a_struct(void **state) {
  (void)state;
  static const char reshape[] =
      "module \"m\" {\n  dim n = 1..64\n"
      "  entry \"main\" = @0 (\"x\") -> (\"r\")\n"
      "  func @0 \"main\" (%x: f32[?n,6]) {\n"
      "    %r = core::reshape(%x) [shape=[?n, 2, 3]] : f32[?n,2,3]\n"
      "    return %r\n  }\n}\n";
  const char *shapes[] = {"n=5", NULL};
  tenon_read_options options = {.struct_size = sizeof options,
                                .shapes = shapes};
  world w;
  world_open(&w, NULL);
  world_read(&w, reshape, sizeof reshape - 1, &options);
  CHECK(w.status == TENON_OK, "%s", w.log.text);
  const tenon_arg *shape = arg_of(node_at(&w, 0, 0), "shape");
  assert_int_equal(shape->kind, TENON_KIND_INTS);
  assert_int_equal(shape->as.ints.data[0], 5);
  world_close(&w);
}

// Sizes that nobody gives are those that the file holds, where it is asked to.
static void takes_the_sizes_that_the_file_holds(void **state) {
  (void)state;
  const char *shapes[] = {"batch=4x7x9", NULL};
  tenon_read_options options = {.struct_size = sizeof options,
                                .flags = TENON_READ_STORED_SIZES};
  world w;
  world_open(&w, NULL);
  world_load(&w, TEST_MODELS, "open_sizes", &options);
  CHECK(w.status == TENON_OK, "%s", w.log.text);
  assert_int_equal(param(&w, 0)->dims[0].value, 1);
  assert_int_equal(param(&w, 0)->dims[2].value, 2);
  options.shapes = shapes;
  world_load(&w, TEST_MODELS, "open_sizes", &options);
  CHECK(w.status == TENON_OK, "%s", w.log.text);
  assert_int_equal(param(&w, 0)->dims[0].value, 4);
  assert_int_equal(param(&w, 0)->dims[2].value, 9);
  assert_int_equal(param(&w, 1)->dims[0].value, 1);
  world_close(&w);
}

static bool fix_with(const tenon_allocator *allocator, void *self) {
  world w;
  (void)self;
  world_open(&w, allocator);
  if (w.status == TENON_OK) read_with(&w, "x=5x3", "k=4", 0);
  tenon_status status = w.status;
  if (w.cx) world_close(&w);
  return status == TENON_OK;
}

static void gives_back_all_memory_when_some_is_missing(void **state) {
  (void)state;
  test_sweep(fix_with, NULL);
}

TEST_GROUP(shapes, cmocka_unit_test(fixes_sizes_and_what_depends_on_them),
           cmocka_unit_test(refuses_what_does_not_fit),
           cmocka_unit_test(bounds_what_stays_open),
           cmocka_unit_test(offers_the_nearest_name),
           cmocka_unit_test(fixes_the_batch_of_a_model),
           cmocka_unit_test(refuses_a_size_that_a_run_finds_out),
           cmocka_unit_test(keeps_numbers_that_a_run_finds_out),
           cmocka_unit_test(refuses_sizes_that_lead_nowhere),
           cmocka_unit_test(fixes_attributes_of_operators_with_a_struct),
           cmocka_unit_test(takes_the_sizes_that_the_file_holds),
           cmocka_unit_test(gives_back_all_memory_when_some_is_missing))
