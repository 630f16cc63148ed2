// Tests of read/flexbuf.c: buffers written by hand, one of every type and
// width, then what must be refused.
#include "read/flexbuf.h"

#include <stdlib.h>

#include "harness/harness.h"

#define T(type, width) ((type) << 2 | (width))
enum { W1, W2, W4, W8 };

// Verifies a copy of exactly those bytes; the values point into it.
static bool verify(const uint8_t *bytes, size_t size, uint8_t **copy,
                   tenon_flex *root, tenon_flex_error *error) {
  *copy = (uint8_t *)malloc(size ? size : 1);
  if (size) memcpy(*copy, bytes, size);
  *error = (tenon_flex_error){NULL, 0, 0};
  return tenon_flex_verify((tenon_bytes){*copy, size}, root, error);
}

// One number each, in every encoding.
static const struct {
  uint8_t bytes[24];
  size_t size;
  tenon_flex_kind kind;
  int64_t i;
  double f;
} numbers[] = {
    {{0, T(0, W1), 1}, 3, TENON_FLEX_NULL, 0, 0},
    {{1, T(26, W1), 1}, 3, TENON_FLEX_BOOL, 1, 1},
    {{0xfe, T(1, W1), 1}, 3, TENON_FLEX_INT, -2, -2},
    {{0xfe, 0xff, T(1, W2), 2}, 4, TENON_FLEX_INT, -2, -2},
    {{0xfe, 0xff, 0xff, 0xff, T(1, W4), 4}, 6, TENON_FLEX_INT, -2, -2},
    {{0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, T(1, W8), 8},
     10,
     TENON_FLEX_INT,
     -2,
     -2},
    {{0xfe, T(2, W1), 1}, 3, TENON_FLEX_UINT, 254, 254},
    {{0xfe, 0xff, T(2, W2), 2}, 4, TENON_FLEX_UINT, 65534, 65534},
    {{0, 0, 0xc0, 0x3f, T(3, W4), 4}, 6, TENON_FLEX_FLOAT, 1, 1.5},
    {{0, 0, 0, 0, 0, 0, 0xf8, 0x3f, T(3, W8), 8}, 10, TENON_FLEX_FLOAT, 1, 1.5},
    {{0, 0, 0x80, 0x7f, T(3, W4), 4}, 6, TENON_FLEX_FLOAT, 0, INFINITY},
    // Indirect: the number lies before the offset to it.
    {{0xfe, 1, T(6, W1), 1}, 4, TENON_FLEX_INT, -2, -2},
    {{0xfe, 0xff, 2, 0, T(7, W2), 2}, 6, TENON_FLEX_UINT, 65534, 65534},
    {{0, 0, 0xc0, 0x3f, 4, T(8, W4), 1}, 7, TENON_FLEX_FLOAT, 1, 1.5},
    {{0, 0, 0, 0, 0, 0, 0xf8, 0x3f, 8, 0, T(8, W8), 2},
     12,
     TENON_FLEX_FLOAT,
     1,
     1.5},
};

static void reads_numbers_of_any_width(void **state) {
  (void)state;
  EACH_ROW(i, numbers) {
    tenon_flex root;
    tenon_flex_error error;
    uint8_t *copy;
    bool done = verify(numbers[i].bytes, numbers[i].size, &copy, &root, &error);
    CHECK(done, "row %zu: %s", i, error.text);
    CHECK(tenon_flex_look(&root) == numbers[i].kind, "row %zu", i);
    CHECK(tenon_flex_int(&root) == numbers[i].i, "row %zu", i);
    CHECK(near(tenon_flex_float(&root), numbers[i].f, 0), "row %zu", i);
    CHECK(tenon_flex_count(&root) == 0, "row %zu", i);
    CHECK(!tenon_flex_text(&root).data, "row %zu", i);
    free(copy);
  }
}

static void reads_text_and_bytes(void **state) {
  (void)state;
  static const struct {
    uint8_t bytes[16];
    size_t size;
    tenon_flex_kind kind;
    const char *text;
  } rows[] = {
      {{2, 'h', 'i', 0, 3, T(5, W1), 1}, 7, TENON_FLEX_STRING, "hi"},
      {{2, 0, 'h', 'i', 0, 0, 4, 0, T(5, W2), 2}, 10, TENON_FLEX_STRING, "hi"},
      {{'h', 'i', 0, 3, T(4, W1), 1}, 6, TENON_FLEX_STRING, "hi"},
      {{2, 'h', 'i', 2, T(25, W1), 1}, 6, TENON_FLEX_BLOB, "hi"},
      {{0, 0, 1, T(5, W1), 1}, 5, TENON_FLEX_STRING, ""},
      {{0, 0, T(25, W1), 1}, 4, TENON_FLEX_BLOB, ""},  // an offset of 0
  };
  EACH_ROW(i, rows) {
    tenon_flex root;
    tenon_flex_error error;
    uint8_t *copy;
    bool done = verify(rows[i].bytes, rows[i].size, &copy, &root, &error);
    CHECK(done == (rows[i].text != NULL), "row %zu", i);
    if (done) {
      CHECK(tenon_flex_look(&root) == rows[i].kind, "row %zu", i);
      CHECK(tenon_text_is(tenon_flex_text(&root), rows[i].text), "row %zu", i);
      CHECK(tenon_flex_int(&root) == 0, "row %zu", i);
      CHECK(near(tenon_flex_float(&root), 0, 0), "row %zu", i);
    }
    free(copy);
  }
}

static void reads_vectors_of_every_type(void **state) {
  (void)state;
  static const struct {
    uint8_t bytes[32];
    size_t size;
    uint64_t count;
    tenon_flex_kind kind;  // of the last element
    int64_t last;
  } rows[] = {
      {{2, 7, 0xf8, T(1, W1), T(1, W1), 4, T(10, W1), 1},
       8,
       2,
       TENON_FLEX_INT,
       -8},
      {{2, 7, 0xf8, 2, T(11, W1), 1}, 6, 2, TENON_FLEX_INT, -8},
      {{2, 7, 0xf8, 2, T(12, W1), 1}, 6, 2, TENON_FLEX_UINT, 0xf8},
      {{1, 0, 0, 0, 0, 0, 0x40, 0x40, 4, T(13, W4), 1},
       11,
       1,
       TENON_FLEX_FLOAT,
       3},
      {{2, 0, 1, 2, T(36, W1), 1}, 6, 2, TENON_FLEX_BOOL, 1},
      {{7, 0xf8, 2, T(16, W1), 1}, 5, 2, TENON_FLEX_INT, -8},
      {{7, 0xf8, 2, T(17, W1), 1}, 5, 2, TENON_FLEX_UINT, 0xf8},
      {{0, 0, 0, 0, 0, 0, 0x40, 0x40, 8, T(18, W4), 1},
       11,
       2,
       TENON_FLEX_FLOAT,
       3},
      {{6, 7, 0xf8, 3, T(19, W1), 1}, 6, 3, TENON_FLEX_INT, -8},
      {{5, 6, 7, 0xf8, 4, T(23, W1), 1}, 7, 4, TENON_FLEX_UINT, 0xf8},
      {{0, 0, T(10, W1), 1}, 4, 0, TENON_FLEX_NULL, 0},
      // Two keys, then the vector of offsets to them; the old strings alike.
      {{'a', 0, 'b', 0, 2, 5, 4, 2, T(14, W1), 1}, 10, 2, TENON_FLEX_STRING, 0},
      {{'a', 0, 'b', 0, 2, 5, 4, 2, T(15, W1), 1}, 10, 2, TENON_FLEX_STRING, 0},
  };
  EACH_ROW(i, rows) {
    tenon_flex root;
    tenon_flex_error error;
    uint8_t *copy;
    uint64_t n = rows[i].count;
    bool done = verify(rows[i].bytes, rows[i].size, &copy, &root, &error);
    CHECK(done, "row %zu: %s at %llu", i, error.text,
          (unsigned long long)error.at);
    CHECK(tenon_flex_look(&root) == TENON_FLEX_VECTOR, "row %zu", i);
    CHECK(tenon_flex_count(&root) == n, "row %zu", i);
    const char *type = tenon_flex_type(&root);
    const char *expected = rows[i].kind == TENON_FLEX_INT     ? "int[]"
                           : rows[i].kind == TENON_FLEX_UINT  ? "int[]"
                           : rows[i].kind == TENON_FLEX_FLOAT ? "float[]"
                           : rows[i].kind == TENON_FLEX_BOOL  ? "bool[]"
                                                              : NULL;
    if (n > 0)
      CHECK(expected ? type && strcmp(type, expected) == 0 : !type, "row %zu",
            i);
    if (n == 0) {
      free(copy);
      continue;
    }
    tenon_flex last = tenon_flex_item(&root, n - 1);
    CHECK(tenon_flex_look(&last) == rows[i].kind, "row %zu", i);
    CHECK(tenon_flex_int(&last) == rows[i].last, "row %zu", i);
    if (rows[i].kind == TENON_FLEX_STRING)
      CHECK(tenon_text_is(tenon_flex_text(&last), "b"), "row %zu", i);
    tenon_flex beyond = tenon_flex_item(&root, n);
    CHECK(tenon_flex_look(&beyond) == TENON_FLEX_NULL, "row %zu", i);
    free(copy);
  }
}

// {"a": 5, "b": [5]}, keys first, then the inner vector, the keys' vector, the
// map.
static const uint8_t map[] = {'a',      0, 'b', 0, 1, 5, T(1, W1), 2,         8,
                              7,        2, 1,   2, 5, 9, T(1, W1), T(10, W1), 4,
                              T(9, W1), 1};

static void reads_maps(void **state) {
  (void)state;
  tenon_flex root;
  tenon_flex_error error;
  uint8_t *copy;
  bool done = verify(map, sizeof map, &copy, &root, &error);
  CHECK(done, "%s at %llu", error.text, (unsigned long long)error.at);
  assert_int_equal(tenon_flex_look(&root), TENON_FLEX_MAP);
  assert_int_equal(tenon_flex_count(&root), 2);
  assert_true(tenon_text_is(tenon_flex_key(&root, 0), "a"));
  assert_true(tenon_text_is(tenon_flex_key(&root, 1), "b"));
  assert_null(tenon_flex_key(&root, 2).data);
  tenon_flex value = tenon_flex_item(&root, 0);
  assert_int_equal(tenon_flex_int(&value), 5);
  assert_string_equal(tenon_flex_type(&value), "int");
  assert_null(tenon_flex_type(&root));
  value = tenon_flex_item(&root, 1);
  assert_string_equal(tenon_flex_type(&value), "int[]");
  assert_int_equal(tenon_flex_count(&value), 1);
  assert_null(tenon_flex_key(&value, 0).data);
  free(copy);
}

static void refuses_what_does_not_hold_together(void **state) {
  (void)state;
  static const struct {
    uint8_t bytes[24];
    size_t size;
    const char *text;
  } rows[] = {
      {{0}, 0, "at least 3 bytes"},
      {{T(0, W1), 1}, 2, "at least 3 bytes"},
      {{0, T(0, W1), 3}, 3, "last byte"},
      {{0, T(0, W1), 0}, 3, "last byte"},
      {{0, T(0, W1), 4}, 3, "last byte"},
      {{0, T(63, W1), 1}, 3, "unknown type"},
      {{0, 1, T(63, W1), 1}, 4, "unknown type"},
      {{0, 1, T(27, W1), 1}, 4, "unknown type"},
      {{1, T(3, W1), 1}, 3, "float of less"},
      {{1, 0, T(3, W1), 2}, 4, "float of less"},
      {{1, 1, T(8, W1), 1}, 4, "float of less"},
      {{9, T(5, W1), 1}, 3, "outside"},
      {{2, 'h', 'i', 'x', 3, T(5, W1), 1}, 7, "zero byte"},
      {{9, 'h', 'i', 0, 3, T(5, W1), 1}, 7, "more elements"},
      {{200, 'h', 'i', 0, 3, T(5, W1), 1}, 7, "more elements"},
      {{'h', 2, T(5, W4), 1}, 4, "outside"},
      {{'h', 'x', 2, T(5, W4), 1}, 5, "before the start"},
      {{'h', 1, 0, T(4, W1), 2}, 5, "does not lie before"},
      {{0, 1, T(6, W8), 1}, 4, "does not fit"},
      {{7, 1, T(16, W1), 1}, 4, "does not lie before"},
      {{7, 1, T(16, W8), 1}, 4, "does not fit"},
      // A vector that contains itself.
      {{1, 1, T(10, W1), 2, T(10, W1), 1}, 6, "before the start"},
      {{2, 5, 1, T(1, W1), T(10, W1), 4, T(10, W1), 1}, 8, "does not lie"},
      // A map whose keys are of no width, or too few.
      {{'a', 0, 1, 2, 1, 3, 1, 5, T(1, W1), 2, T(9, W1), 1}, 12, "1, 2, 4"},
      {{'a', 0, 0, 1, 1, 1, 5, T(1, W1), 2, T(9, W1), 1}, 11, "as many keys"},
      {{1, 5, T(1, W1), 2, T(9, W1), 1}, 6, "before the start"},
  };
  EACH_ROW(i, rows) {
    tenon_flex root;
    tenon_flex_error error;
    uint8_t *copy;
    bool done = verify(rows[i].bytes, rows[i].size, &copy, &root, &error);
    CHECK(!done, "row %zu", i);
    CHECK(error.text && strstr(error.text, rows[i].text), "row %zu: %s", i,
          error.text ? error.text : "nothing");
    CHECK(error.at + error.size <= rows[i].size, "row %zu: bytes", i);
    free(copy);
  }
}

// A key that runs to the end of the buffer without a zero.
static void refuses_a_key_without_an_end(void **state) {
  (void)state;
  static const uint8_t bytes[] = {'h', 'i', 'x', 3, T(4, W1) | 0, 1};
  tenon_flex root;
  tenon_flex_error error;
  uint8_t *copy;
  assert_false(verify(bytes, sizeof bytes, &copy, &root, &error));
  assert_non_null(strstr(error.text, "does not end"));
  free(copy);
}

// Vectors of one element, each in the next.
static size_t nest(uint8_t *bytes, int depth) {
  size_t size = 0;
  bytes[size++] = 1;
  bytes[size++] = 5;
  bytes[size++] = T(1, W1);
  for (int i = 0; i < depth; ++i) {
    bytes[size++] = 1;
    bytes[size++] = 3;
    bytes[size++] = T(10, W1);
  }
  bytes[size++] = 2;
  bytes[size++] = T(10, W1);
  bytes[size++] = 1;
  return size;
}

static void limits_the_nesting(void **state) {
  (void)state;
  static const struct {
    int depth;
    bool done;
  } rows[] = {{0, true}, {63, true}, {64, false}, {80, false}};
  EACH_ROW(i, rows) {
    uint8_t bytes[512], *copy;
    tenon_flex root;
    tenon_flex_error error;
    size_t size = nest(bytes, rows[i].depth);
    bool done = verify(bytes, size, &copy, &root, &error);
    CHECK(done == rows[i].done, "row %zu: %s", i, error.text);
    if (!done) CHECK(strstr(error.text, "too deeply"), "row %zu", i);
    free(copy);
  }
}

// Each vector has the one before it twice: honest, and doubling.
static void limits_sharing(void **state) {
  (void)state;
  uint8_t bytes[512], *copy;
  size_t size = 0, before;
  tenon_flex root;
  tenon_flex_error error;
  bytes[size++] = 1;
  before = size;
  bytes[size++] = 5;
  bytes[size++] = T(1, W1);
  for (int i = 0; i < 40; ++i) {
    bytes[size++] = 2;
    size_t at = size;
    bytes[at] = (uint8_t)(at - before);
    bytes[at + 1] = (uint8_t)(at + 1 - before);
    bytes[at + 2] = bytes[at + 3] = T(10, W1);
    before = at;
    size += 4;
  }
  bytes[size] = (uint8_t)(size - before);
  bytes[size + 1] = T(10, W1);
  bytes[size + 2] = 1;
  assert_false(verify(bytes, size + 3, &copy, &root, &error));
  assert_non_null(strstr(error.text, "shared too often"));
  free(copy);
}

static void survives_any_cut_and_any_byte(void **state) {
  (void)state;
  uint8_t bytes[sizeof map], *copy;
  tenon_flex root;
  tenon_flex_error error;
  for (size_t size = 0; size < sizeof map; ++size) {
    (void)verify(map + size, sizeof map - size, &copy, &root, &error);
    free(copy);
  }
  for (size_t at = 0; at < sizeof map; ++at) {
    for (int value = 0; value < 256; ++value) {
      memcpy(bytes, map, sizeof map);
      bytes[at] = (uint8_t)value;
      bool done = verify(bytes, sizeof map, &copy, &root, &error);
      CHECK(done || error.text, "byte %zu", at);
      free(copy);
    }
  }
}

static void names_kinds(void **state) {
  (void)state;
  assert_string_equal(tenon_flex_kind_name(TENON_FLEX_MAP), "a map");
  assert_string_equal(tenon_flex_kind_name(TENON_FLEX_NULL), "null");
  assert_string_equal(tenon_flex_kind_name((tenon_flex_kind)99), "nothing");
}

TEST_GROUP(flexbuf, cmocka_unit_test(reads_numbers_of_any_width),
           cmocka_unit_test(reads_text_and_bytes),
           cmocka_unit_test(reads_vectors_of_every_type),
           cmocka_unit_test(reads_maps),
           cmocka_unit_test(refuses_what_does_not_hold_together),
           cmocka_unit_test(refuses_a_key_without_an_end),
           cmocka_unit_test(limits_the_nesting),
           cmocka_unit_test(limits_sharing),
           cmocka_unit_test(survives_any_cut_and_any_byte),
           cmocka_unit_test(names_kinds))
