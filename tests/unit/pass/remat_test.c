// Made again instead of kept: the same bits in a smaller arena, and nothing
// where keeping costs nothing.
#include "harness/model.h"
#include "program/program.h"

#define W                               \
  "%w = const f32[4,1,1,1] {1,2,3,4}\n" \
  "%v = const f32[1,1,1,4] {1,2,3,4}\n" \
  "%k = const f32[1,1,1,1] {0.5}\n"
#define CONVS "%a = core::conv(%d, %w)\n%b = core::conv(%a, %v)\n"

static const struct {
  const char *text, *remark;
  uint64_t before, after;
} rows[] = {
    // A quarter of the bytes is enough to make it again.
    {"module { %x = input s8[1,8,8,1]{0.5:3}\n" W
     "%d = core::dequantize(%x) : f32[1,8,8,1]\n" CONVS
     "%y = core::add(%b, %d)\nreturn %y }",
     "core::dequantize", 64 * 24, 64 * 21},
    // Two in a row: the one in between would be kept otherwise.
    {"module { %x = input s8[1,8,8,1]{0.5:3}\n" W
     "%e = core::dequantize(%x) : f32[1,8,8,1]\n%d = core::abs(%e)\n" CONVS
     "%y = core::add(%b, %d)\nreturn %y }",
     "2 in a row", 64 * 24, 64 * 21},
    // Grown from less, and read by two, one of them the result.
    {"module { %x = input f32[1,2,8,1]\n" W
     "%d = core::pad(%x) [before=[0,3,0,0], after=[0,3,0,0]]\n" CONVS
     "%y = core::sub(%b, %d)\nreturn %y, %d }",
     "core::pad", 64 * 24, 64 * 21},
    // What it is made of has as many bytes; it is not cheap; it is not kept.
    {"module { %x = input f32[1,8,8,1]\n" W "%d = core::abs(%x)\n" CONVS
     "%y = core::add(%b, %d)\nreturn %y }",
     NULL, 64 * 24, 64 * 24},
    {"module { %x = input s8[1,8,8,1]{0.5:3}\n" W
     "%e = core::dequantize(%x) : f32[1,8,8,1]\n%d = core::conv(%e, %k)\n" CONVS
     "%y = core::add(%b, %d)\nreturn %y }",
     NULL, 64 * 24, 64 * 24},
    {"module { %x = input s8[1,8,8,1]{0.5:3}\n" W
     "%d = core::dequantize(%x) : f32[1,8,8,1]\n" CONVS "return %b }",
     NULL, 64 * 20, 64 * 20},
};

static void makes_again_what_is_cheap(void **state) {
  static const char *const pipelines[] = {NO_PASSES, NO_PASSES ",remat"};
  test_model t;
  tenon_buf bits[2];
  (void)state;
  model_open(&t, NULL);
  EACH_ROW(i, rows) {
    for (int k = 0; k < 2; ++k) {
      tenon_compile_options o = {.struct_size = sizeof o,
                                 .flags = TENON_COMPILE_NO_OVERLAP,
                                 .pipeline = pipelines[k]};
      tenon_program_stats s = {.struct_size = sizeof s};
      tenon_program *p = model_compile(&t, rows[i].text, &o);
      tenon_program_measure(p, &s);
      uint64_t want = k ? rows[i].after : rows[i].before;
      CHECK(s.arena == want, "row %zu, %d: %llu bytes", i, k,
            (unsigned long long)s.arena);
      const char *remark = k ? rows[i].remark : NULL;
      CHECK(remark ? strstr(p->remarks, remark) != NULL : !p->remarks[0],
            "row %zu, %d: %s", i, k, p->remarks);
      tenon_program_destroy(p);
      tenon_buf_init(&bits[k], tenon_heap());
      model_bits(&t, rows[i].text, pipelines[k], &bits[k]);
    }
    CHECK(bits[0].size == bits[1].size &&
              memcmp(bits[0].data, bits[1].data, bits[0].size) == 0,
          "row %zu: other bits", i);
    tenon_buf_deinit(&bits[0]);
    tenon_buf_deinit(&bits[1]);
  }
  model_close(&t);
}

static void survives_lack_of_memory(void **state) {
  (void)state;
  model_sweep s = {.text = rows[0].text, .pipeline = NO_PASSES ",remat"};
  test_sweep(model_compiles, &s);
}

TEST_GROUP(remat, cmocka_unit_test(makes_again_what_is_cheap),
           cmocka_unit_test(survives_lack_of_memory))
