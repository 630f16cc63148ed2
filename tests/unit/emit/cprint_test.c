#include "emit/cprint.h"

#include <stdlib.h>

#include "harness/harness.h"

static float of_bits(uint32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static void check_float(uint32_t bits) {
  char text[TENON_C_NUMBER + 1];
  float x = of_bits(bits), back;
  size_t size = tenon_c_put_float(text, x);
  assert_true(size <= TENON_C_NUMBER);
  if (size == 0) {
    CHECK(!isfinite(x), "%08x", bits);
    return;
  }
  text[size - 1] = 0;  // the f
  back = strtof(text, NULL);
  CHECK(memcmp(&back, &x, sizeof x) == 0, "%08x as %s", bits, text);
  CHECK(strpbrk(text, ".p") != NULL, "%08x as %s", bits, text);
}

static void prints_floats_that_read_back(void **state) {
  uint32_t random = 1;
  (void)state;
  for (uint32_t exponent = 0; exponent < 256; ++exponent)
    for (uint32_t i = 0; i < 400; ++i) {
      random = random * 1664525u + 1013904223u;
      uint32_t fraction = i < 2 ? i : i < 4 ? 0x800000u - i + 1 : random >> 9;
      check_float(exponent << 23 | (fraction & 0x7fffffu));
      check_float(0x80000000u | exponent << 23 | (fraction & 0x7fffffu));
    }
}

static void prints_short_floats(void **state) {
  static const struct {
    float x;
    const char *want;
  } rows[] = {
      {0, "0.0f"},
      {-0.0f, "-0.0f"},
      {1, "1.0f"},
      {0.1f, "0.1f"},
      {-2.5f, "-2.5f"},
      {100, "100.0f"},
      {1e9f, "1.0e9f"},
      {123456.0f, "123456.0f"},
      {1e-6f, "1.0e-6f"},
      {0.00390625f, "0.00390625f"},
      {16777216.0f, "16777216.0f"},
      {1e-5f, "0.00001f"},
      {INFINITY, "INFINITY"},
      {-INFINITY, "-INFINITY"},
      {NAN, "NAN"},
      {3.4028235e38f, "0x1.fffffep127f"},
  };
  tenon_buf out;
  (void)state;
  tenon_buf_init(&out, tenon_heap());
  EACH_ROW(i, rows) {
    tenon_buf_clear(&out);
    tenon_c_float(&out, rows[i].x);
    CHECK_TEXT(out.data, rows[i].want, i);
  }
  tenon_buf_deinit(&out);
}

static void prints_doubles_that_read_back(void **state) {
  static const double rows[] = {
      1,      -0.1,     5e-324,   1.7976931348623157e308, 1.0 / 3, -0.0, 0,
      1e-300, 12345678, 0x1p-1022};
  (void)state;
  EACH_ROW(i, rows) {
    char text[TENON_C_NUMBER + 1];
    size_t size = tenon_c_put_double(text, rows[i]);
    text[size] = 0;
    double back = strtod(text, NULL);
    CHECK(memcmp(&back, &rows[i], sizeof back) == 0, "row %zu: %s", i, text);
  }
}

static void prints_integers(void **state) {
  static const struct {
    int64_t x;
    const char *want;
  } rows[] = {
      {0, "0"},
      {-1, "-1"},
      {127, "127"},
      {INT32_MIN, "INT32_MIN"},
      {INT64_MIN, "INT64_MIN"},
      {INT64_MAX, "9223372036854775807"},
  };
  tenon_buf out;
  (void)state;
  tenon_buf_init(&out, tenon_heap());
  EACH_ROW(i, rows) {
    tenon_buf_clear(&out);
    tenon_c_int(&out, rows[i].x);
    CHECK_TEXT(out.data, rows[i].want, i);
  }
  tenon_buf_clear(&out);
  tenon_c_uint(&out, UINT64_MAX);
  CHECK_TEXT(out.data, "18446744073709551615", 0);
  tenon_buf_deinit(&out);
}

// A comment must end with its line and nowhere else, whatever the compiler
// makes of trigraphs, and must not look like something else than it is.
static void makes_comments_harmless(void **state) {
  static const struct {
    const char *text, *want;
  } rows[] = {
      {"plain, with *"
       "/ and /"
       "*",
       "plain, with *"
       "/ and /"
       "*"},
      {"C:\\dir\\", "C:/dir/"},
      {"what?\?/", "what? ?/"},
      {"????", "? ? ? ?"},
      {"two\nlines\r", "two lines "},
      {"\xe4\xbd\xa0", "<U+4F60>"},
      {"\xf0\x9f\x98\x80", "<U+1F600>"},
      {"a\xe2\x80\xae"
       "b",
       "a<U+202E>b"},
      {"\xff\xc3", "<ff><c3>"},
      {"\x7f\x01", "<U+007F> "},
  };
  tenon_buf out;
  (void)state;
  tenon_buf_init(&out, tenon_heap());
  EACH_ROW(i, rows) {
    tenon_buf_clear(&out);
    tenon_c_comment(&out, rows[i].text);
    CHECK_TEXT(out.data, rows[i].want, i);
  }
  char text[2000];
  memset(text, 'x', sizeof text);
  text[sizeof text - 1] = 0;
  tenon_buf_clear(&out);
  tenon_c_comment(&out, text);
  assert_true(out.size < 500);
  tenon_buf_deinit(&out);
}

static void quotes_strings(void **state) {
  static const struct {
    const char *text, *want;
  } rows[] = {
      {"", "\"\""},
      {"a\"b\\", "\"a\\\"b\\\\\""},
      {"?\?/", "\"\\?\\?/\""},
      {"\x01"
       "1\n",
       "\"\\0011\\012\""},
      {"\xe9"
       "f",
       "\"\\351f\""},
  };
  tenon_buf out;
  (void)state;
  tenon_buf_init(&out, tenon_heap());
  EACH_ROW(i, rows) {
    tenon_buf_clear(&out);
    tenon_c_string(&out, rows[i].text);
    CHECK_TEXT(out.data, rows[i].want, i);
  }
  tenon_buf_deinit(&out);
}

static void knows_all_element_types(void **state) {
  (void)state;
  for (tenon_dtype t = 0; t <= TENON_STR; ++t) {
    assert_non_null(tenon_c_type(t));
    assert_non_null(tenon_c_dtype(t));
  }
  assert_string_equal(tenon_c_dtype(TENON_F8E4M3FN), "TENON_F8E4M3FN");
  assert_string_equal(tenon_c_dtype(0), "0");
  assert_string_equal(tenon_c_type(TENON_BOOL), "uint8_t");
}

TEST_GROUP(cprint, cmocka_unit_test(prints_floats_that_read_back),
           cmocka_unit_test(prints_short_floats),
           cmocka_unit_test(prints_doubles_that_read_back),
           cmocka_unit_test(prints_integers),
           cmocka_unit_test(makes_comments_harmless),
           cmocka_unit_test(quotes_strings),
           cmocka_unit_test(knows_all_element_types))
