#include "base/bytes.h"

#include "harness/harness.h"

static const uint8_t data[] = {0x01, 0x02, 0x03, 0x84, 0x05,
                               0x06, 0x07, 0x88, 0x00};

static void reads_little_endian(void **state) {
  tenon_bytes b = {data, sizeof data};
  uint8_t u8 = 0;
  uint16_t u16 = 0;
  uint32_t u32 = 0;
  uint64_t u64 = 0;
  (void)state;
  assert_true(tenon_bytes_u8(b, 3, &u8) && u8 == 0x84);
  assert_true(tenon_bytes_u16(b, 3, &u16) && u16 == 0x0584);
  assert_true(tenon_bytes_u32(b, 1, &u32) && u32 == UINT32_C(0x05840302));
  assert_true(tenon_bytes_u64(b, 0, &u64));
  assert_true(u64 == UINT64_C(0x8807060584030201));
}

static void reads_floats_by_their_bits(void **state) {
  static const uint8_t floats[] = {0, 0, 0x80, 0x3f, 0, 0, 0, 0, 0, 0, 0, 0xc0};
  tenon_bytes b = {floats, sizeof floats};
  float f32 = 0;
  double f64 = 0;
  (void)state;
  assert_true(tenon_bytes_f32(b, 0, &f32) && f32 == 1);
  assert_true(tenon_bytes_f64(b, 4, &f64) && f64 == -2);
  assert_false(tenon_bytes_f32(b, 9, &f32));
  assert_false(tenon_bytes_f64(b, 5, &f64));
  assert_true(f32 == 1 && f64 == -2);
}

static void stays_within_its_range(void **state) {
  static const struct {
    uint64_t at, size;
    bool has;
  } rows[] = {
      {0, 9, true},           {0, 10, false},         {9, 0, true},
      {10, 0, false},         {8, 1, true},           {8, 2, false},
      {UINT64_MAX, 1, false}, {1, UINT64_MAX, false}, {UINT64_MAX, 0, false},
  };
  tenon_bytes b = {data, sizeof data};
  (void)state;
  EACH_ROW(i, rows) {
    tenon_bytes slice = {NULL, 77};
    bool has = tenon_bytes_slice(b, rows[i].at, rows[i].size, &slice);
    CHECK(has == rows[i].has, "row %zu", i);
    CHECK(slice.size == (has ? rows[i].size : 77), "row %zu", i);
    CHECK(slice.data == (has ? data + rows[i].at : NULL), "row %zu", i);
  }
}

static void leaves_the_place_alone_outside(void **state) {
  tenon_bytes b = {data, sizeof data}, none = {NULL, 0};
  uint8_t u8 = 7;
  uint16_t u16 = 7;
  uint32_t u32 = 7;
  uint64_t u64 = 7;
  (void)state;
  assert_false(tenon_bytes_u8(b, 9, &u8));
  assert_false(tenon_bytes_u16(b, 8, &u16));
  assert_false(tenon_bytes_u32(b, 6, &u32));
  assert_false(tenon_bytes_u64(b, 2, &u64));
  assert_false(tenon_bytes_u64(b, UINT64_MAX - 3, &u64));
  assert_false(tenon_bytes_u8(none, 0, &u8));
  assert_true(u8 == 7 && u16 == 7 && u32 == 7 && u64 == 7);
}

TEST_GROUP(bytes, cmocka_unit_test(reads_little_endian),
           cmocka_unit_test(reads_floats_by_their_bits),
           cmocka_unit_test(stays_within_its_range),
           cmocka_unit_test(leaves_the_place_alone_outside))
