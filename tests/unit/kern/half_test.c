// 16-bit floats: all of them, and what lies between.
#include "kern/num/half.h"

#include "kern_fixture.h"

static void f16_comes_back(void **state) {
  (void)state;
  for (uint32_t h = 0; h < 65536; ++h) {
    float x = tenon_f32_of_f16((uint16_t)h);
    uint16_t back = tenon_f16_of_f32(x);
    if (isnan(x))
      CHECK((back & 0x7c00) == 0x7c00 && (back & 0x3ff), "%04x", (unsigned)h);
    else
      CHECK(back == h, "%04x gave %04x", (unsigned)h, back);
  }
}

static void f16_rounds_to_even(void **state) {
  (void)state;
  // Halfway between neighbours, and a little beside.
  for (uint16_t h = 0; h < 0x7bff; ++h) {
    float low = tenon_f32_of_f16(h);
    float high = tenon_f32_of_f16((uint16_t)(h + 1));
    float mid = (low + high) / 2;
    uint16_t even = (uint16_t)(h + (h & 1));
    CHECK(tenon_f16_of_f32(mid) == even, "%04x", h);
    CHECK(tenon_f16_of_f32(nextafterf(mid, 0)) == h, "%04x", h);
    CHECK(tenon_f16_of_f32(nextafterf(mid, 1e9f)) == h + 1, "%04x", h);
    CHECK(tenon_f16_of_f32(-mid) == (even | 0x8000), "%04x", h);
  }
}

static void f16_has_ends(void **state) {
  static const struct {
    float x;
    uint16_t want;
  } rows[] = {{65504.0f, 0x7bff}, {65519.9f, 0x7bff}, {65520.0f, 0x7c00},
              {1e30f, 0x7c00},    {-1e30f, 0xfc00},   {2.98e-8f, 0x0000},
              {2.99e-8f, 0x0001}, {-0.0f, 0x8000},    {1.0f, 0x3c00}};
  (void)state;
  EACH_ROW(i, rows)
  CHECK(tenon_f16_of_f32(rows[i].x) == rows[i].want, "row %zu: %04x", i,
        tenon_f16_of_f32(rows[i].x));
  assert_int_equal(tenon_f16_of_f32(INFINITY), 0x7c00);
}

static void bf16_rounds_to_even(void **state) {
  static const struct {
    uint32_t x;
    uint16_t want;
  } rows[] = {{0x3f800000, 0x3f80}, {0x3f808000, 0x3f80}, {0x3f808001, 0x3f81},
              {0x3f818000, 0x3f82}, {0x7f7fffff, 0x7f80}, {0x7f800000, 0x7f80},
              {0x7f800001, 0x7fc0}, {0xff800001, 0xffc0}, {0x80000000, 0x8000}};
  (void)state;
  EACH_ROW(i, rows)
  CHECK(tenon_bf16_of_f32(tenon_f32_of_bits(rows[i].x)) == rows[i].want,
        "row %zu", i);
  for (uint32_t h = 0; h < 65536; ++h) {
    float x = tenon_f32_of_bf16((uint16_t)h);
    if (!isnan(x)) CHECK(tenon_bf16_of_f32(x) == h, "%04x", (unsigned)h);
  }
}

TEST_GROUP(half, cmocka_unit_test(f16_comes_back),
           cmocka_unit_test(f16_rounds_to_even), cmocka_unit_test(f16_has_ends),
           cmocka_unit_test(bf16_rounds_to_even))
