// Sizes that a run finds out are served by fast kernels, too: the same bits as
// from the reference at every size, also where nothing is left.
#include "harness/model.h"
#include "ops/core/fast/core_fast.h"

static void add_weights(tenon_buf *text, const char *name, const char *dims,
                        int count) {
  tenon_buf_format(text, "const %%%s : f32[%s] = {", name, dims);
  for (int i = 0; i < count; ++i)
    tenon_buf_format(text, "%s%d.25", i ? ", " : "", i * 7 % 11 - 5);
  tenon_buf_text(text, "}\n");
}

static void write_model(tenon_buf *text) {
  tenon_buf_text(text, "module {\n");
  add_weights(text, "f", "5,3,3,3", 135);
  add_weights(text, "b", "5", 5);
  add_weights(text, "d", "1,3,3,5", 45);
  add_weights(text, "l", "7,5", 35);
  tenon_buf_text(
      text,
      "%x = input f32[?n,?h,?w,3]\n"
      "%1 = core::conv(%x, %f, %b) [pad=[1,1,1,1], lo=0]\n"
      "%2 = core::depthwise_conv(%1, %d, %b) [stride=[2,1], pad=[1,1,1,1]]\n"
      "%3 = core::fully_connected(%2, %l, none)\nreturn %3 }");
}

static tenon_module *read_for_host(test_model *t, const tenon_buf *text) {
  const tenon_read_options o = {.struct_size = sizeof o, .name = "t.tenon"};
  tenon_module *m = NULL;
  tenon_status status =
      tenon_module_read(t->cx, text->data, text->size, &o, &m);
  CHECK(status == TENON_OK, "%s", t->log.text);
  return m;
}

static tenon_program *compile(test_model *t, const tenon_buf *text,
                              uint32_t flags) {
  const tenon_entry entry = {NULL, read_for_host(t, text), NULL};
  tenon_compile_options o = {.struct_size = sizeof o, .flags = flags};
  tenon_program *p = NULL;
  tenon_status status = tenon_program_compile(&entry, 1, &o, &p);
  CHECK(status == TENON_OK, "%s", t->log.text);
  tenon_module_destroy(entry.module);
  return p;
}

#ifdef TENON_CORE_HAS_FAST
static const char *plan_of(test_model *t, const tenon_program *p) {
  tenon_buf_clear(&t->text);
  tenon_status status =
      tenon_program_print(p, TENON_FORMAT_TEXT, 0, model_take, &t->text);
  assert_int_equal(status, TENON_OK);
  return t->text.data;
}
#endif

static void bits_at(const tenon_program *p, const int32_t size[3],
                    tenon_buf *out) {
  tenon_allocator heap = tenon_heap();
  tenon_session_options o = {.struct_size = sizeof o, .grow = &heap};
  tenon_tensor y = {0};
  uint32_t seed = 3;
  test_run r;
  run_open(&r, p, 0, &o);
  for (int i = 0; i < 3; ++i)
    r.dims[0][i] = size[i];
  tenon_heap_give(r.in[0].data);
  run_room(&r.in[0]);
  run_fill(&r.in[0], &seed);
  tenon_status status = tenon_session_run(r.session, 0, r.in, 1, &y, 1);
  CHECK(status == TENON_OK, "%d: status %d", (int)size[0], (int)status);
  assert_int_equal(y.dims[3], 7);
  tenon_buf_add(out, (const char *)y.data, run_bytes(&y));
  tenon_session_deinit(r.session);
  run_close(&r);
}

static void open_sizes_equal_the_reference(void **state) {
  static const int32_t sizes[][3] = {{2, 9, 17}, {1, 1, 1}, {3, 40, 5},
                                     {0, 4, 4},  {2, 7, 0}, {1, 30, 64}};
  test_model t;
  tenon_buf text, want, got;
  (void)state;
  model_open(&t, NULL);
  tenon_buf_init(&text, tenon_heap());
  tenon_buf_init(&want, tenon_heap());
  tenon_buf_init(&got, tenon_heap());
  write_model(&text);
  tenon_program *plain = compile(&t, &text, TENON_COMPILE_REFERENCE);
  tenon_program *fast = compile(&t, &text, 0);
#ifdef TENON_CORE_HAS_FAST  // every x86 of 64 bits has the least of them
  assert_int_equal(model_count(plan_of(&t, fast), "_f32_ref"), 0);
#endif
  EACH_ROW(i, sizes) {
    tenon_buf_clear(&want);
    tenon_buf_clear(&got);
    bits_at(plain, sizes[i], &want);
    bits_at(fast, sizes[i], &got);
    CHECK(want.size == got.size &&
              (want.size == 0 || memcmp(want.data, got.data, want.size) == 0),
          "%d %d %d", (int)sizes[i][0], (int)sizes[i][1], (int)sizes[i][2]);
  }
  tenon_program_destroy(plain);
  tenon_program_destroy(fast);
  tenon_buf_deinit(&text);
  tenon_buf_deinit(&want);
  tenon_buf_deinit(&got);
  model_close(&t);
}

TEST_GROUP(open, cmocka_unit_test(open_sizes_equal_the_reference))
