// Sizes that operands of core operators share, when only a run knows them: a
// run in which they fit works, and one in which they do not is refused before a
// kernel reads beyond an operand. Each row stands for a rule.
#include "harness/model.h"

typedef struct sizes {
  int32_t of[4];  // ?a, ?b, ?c and ?d
} sizes;

typedef struct row {
  const char *text;
  sizes good, bad;
} row;

static const row rows[] = {
    {"%x = input f32[?a]\n%y = input f32[?b]\n%z = core::add(%x, %y)\n",
     {{4, 4}},
     {{4, 3}}},
    {"%x = input f32[2,?a]\n%y = input f32[?b,3]\n%z = core::matmul(%x, %y)\n",
     {{4, 4}},
     {{4, 3}}},
    {"%x = input f32[?a,4]\n%y = input f32[?b,4]\n"
     "%z = core::concat(%x, %y) [axis=1]\n",
     {{2, 2}},
     {{2, 3}}},
    {"%x = input f32[?a]\n%z = core::reshape(%x) [shape=[?a/2, 2]]\n",
     {{4}},
     {{5}}},
    {"%x = input f32[?a]\n%y = input f32[?b]\n"
     "%z = core::expand(%x) [shape=[3, ?b]]\n%w = core::add(%z, %y)\n",
     {{4, 4}},
     {{4, 5}}},
    {"%x = input f32[?a,?b]\n%i = input s64[?c,?d]\n"
     "%z = core::gather(%x, %i) [axis=0]\n",
     {{3, 4, 5, 4}},
     {{3, 4, 5, 6}}},
    {"%x = input f32[?a,4]\n%i = input s64[?b,4]\n%s = input f32[?c,4]\n"
     "%z = core::scatter(%x, %i, %s) [axis=0]\n",
     {{3, 2, 2}},
     {{3, 2, 1}}},
    {"%x = input f32[?a,?b]\n%i = input s64[2,?c]\n%s = input f32[2,?c]\n"
     "%z = core::scatter(%x, %i, %s) [axis=0]\n",
     {{3, 4, 4}},
     {{3, 4, 5}}},
    {"%x = input f32[?a,4]\n%v = input f32[?b,4]\n%i = input s64[?c]\n"
     "%z = core::index_put(%x, %v, %i) [axis=0]\n",
     {{3, 2, 2}},
     {{3, 1, 2}}},
    {"%x = input f32[9]\n%i = input s64[?a]\n%j = input s64[?b]\n"
     "%y = core::reshape(%x) [shape=[3, 3]]\n"
     "%z = core::index(%y, %i, %j) [axis=0]\n",
     {{2, 2}},
     {{3, 2}}},
    {"%x = input f32[?a]\n%i = input s64[1]\n"
     "%z = core::dynamic_slice(%x, %i) [axes=[0], size=[5]]\n",
     {{5}},
     {{4}}},
    {"%x = input f32[?a]\n%u = input f32[?b]\n%i = input s64[1]\n"
     "%z = core::dynamic_update(%x, %u, %i) [axes=[0]]\n",
     {{5, 5}},
     {{4, 5}}},
    {"%x = input s64[?a]\n%w = input f32[?b]\n"
     "%z = core::bincount(%x, %w) decides ?u : f32[?u]\n",
     {{5, 5}},
     {{5, 4}}},
    {"%x = input f32[?a]\ncore::item(%x) decides ?u\n"
     "%z = core::number() [value=?u, dtype=f32]\n",
     {{1}},
     {{0}}},
    {"%x = input f32[1,?a,?b,?c]\n%z, %i = core::max_pool3d(%x) "
     "[window=[1,1,1]]\n",
     {{2, 2, 2}},
     {{2, 0, 2}}},
    {"%x = input f32[4,3]\n%i = input s32[2,?a]\n%w = input f32[2,?b]\n"
     "%z = core::resample(%x, %i, %w) [axis=0]\n",
     {{2, 2}},
     {{2, 1}}},
    {"%x = input f32[1,?a,4]\n"
     "%z = core::col2im(%x) [size=[3,3], window=[2,2]]\n",
     {{8}},
     {{9}}},
    {"%x = input f32[1,2,3,3,?a]\n%w = input f32[4,1,1,1,2]\n"
     "%z = core::conv3d(%x, %w)\n",
     {{2}},
     {{3}}},
    {"%x = input f32[1,3,3,?a]\n%w = input f32[4,1,1,2]\n"
     "%z = core::conv(%x, %w)\n",
     {{2}},
     {{3}}},
    {"%x = input f32[2,?a]\n%w = input f32[4,3]\n"
     "%z = core::fully_connected(%x, %w)\n",
     {{3}},
     {{4}}},
    {"%t = input f32[5,3]\n%i = input s64[?a]\n%o = input s64[2]\n"
     "%f = input f32[?b]\n%z = core::embedding_bag(%t, %i, %o, %f)\n",
     {{4, 4}},
     {{4, 3}}},
    {"%s = input f32[?a,5]\n%v = input f32[?b,2]\n"
     "%z = core::searchsorted(%s, %v)\n",
     {{3, 3}},
     {{2, 3}}},
    {"%x = input s16[3,?a]\n%z = core::bitcast(%x) [dtype=f64]\n",
     {{8}},
     {{6}}},
    {"%x = input f32[?a,?b]\n%z, %i = core::inverse(%x)\n", {{2, 2}}, {{2, 3}}},
};

// Inputs of zeros, at the sizes given; indices are then all 0.
static tenon_status run_at(test_model *t, const row *r, const sizes *at) {
  char text[512];
  int32_t dims[RUN_TENSORS][TENON_MAX_RANK];
  tenon_tensor in[RUN_TENSORS], out[1] = {{0}};
  tenon_io io[RUN_TENSORS];
  tenon_memory list[3];
  void *memory[3];
  (void)snprintf(text, sizeof text, "module { %sreturn %%z }", r->text);
  tenon_program *p = model_compile(t, text, NULL);
  size_t n = tenon_program_memory(p, 1, list, 3);
  tenon_allocator grow = tenon_heap();
  tenon_session_options o = {
      .struct_size = sizeof o, .memory = memory, .grow = &grow};
  for (size_t i = 0; i < n; ++i)
    memory[i] = tenon_heap_take(list[i].size, 64);
  tenon_session *s = NULL;
  CHECK(tenon_session_init(p, &o, &s) == TENON_OK, "%s", t->log.text);
  size_t n_in = tenon_program_io(p, 0, TENON_IO_INPUTS, io, RUN_TENSORS);
  for (size_t i = 0; i < n_in; ++i) {
    const char *where = strstr(r->text, "input");
    for (size_t k = 0; k < i; ++k)
      where = strstr(where + 1, "input");
    where = strchr(where, '[');
    memset(&in[i], 0, sizeof in[i]);
    for (int d = 0; d < io[i].rank; ++d) {
      const char *size = where + 1;
      where = strpbrk(size, ",]");
      dims[i][d] = *size == '?' ? at->of[size[1] - 'a'] : atoi(size);
    }
    in[i].dims = dims[i];
    in[i].dtype = io[i].dtype;
    in[i].rank = io[i].rank;
    run_room(&in[i]);
  }
  tenon_status status = tenon_session_run(s, 0, in, n_in, out, 1);
  tenon_session_deinit(s);
  for (size_t i = 0; i < n_in; ++i)
    tenon_heap_give(in[i].data);
  for (size_t i = 0; i < n; ++i)
    tenon_heap_give(memory[i]);
  tenon_program_destroy(p);
  return status;
}

static void open_sizes_are_checked_by_the_run(void **state) {
  (void)state;
  EACH_ROW(i, rows) {
    test_model t;
    model_open(&t, NULL);
    CHECK(run_at(&t, &rows[i], &rows[i].good) == TENON_OK, "%s\n%s",
          rows[i].text, t.log.text);
    tenon_status status = run_at(&t, &rows[i], &rows[i].bad);
    CHECK(status == TENON_BAD_INPUT, "%s\n%d %s", rows[i].text, (int)status,
          t.log.text);
    model_close(&t);
  }
}

TEST_GROUP(core_sizes, cmocka_unit_test(open_sizes_are_checked_by_the_run))
