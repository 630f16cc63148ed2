#include "base/buf.h"

#include <float.h>
#include <locale.h>
#include <stdlib.h>

#include "base/show.h"
#include "base/text.h"
#include "harness/harness.h"

static void adds_texts(void **state) {
  tenon_buf buf;
  (void)state;
  tenon_buf_init(&buf, tenon_heap());
  tenon_buf_add(&buf, NULL, 0);
  assert_string_equal(buf.data, "");
  tenon_buf_text(&buf, "one");
  tenon_buf_char(&buf, ' ');
  tenon_buf_add(&buf, "two and", 3);
  tenon_buf_format(&buf, " %d %s", 3, "four");
  assert_string_equal(buf.data, "one two 3 four");
  assert_int_equal(buf.size, strlen(buf.data));
  tenon_buf_clear(&buf);
  assert_true(buf.size == 0 && buf.data[0] == 0);
  tenon_buf_char(&buf, 0);
  assert_int_equal(buf.size, 1);
  assert_false(buf.failed);
  tenon_buf_deinit(&buf);
  tenon_buf_deinit(&buf);
}

static void formats_any_length(void **state) {
  (void)state;
  for (int width = 1; width < 400; ++width) {
    tenon_buf buf;
    tenon_buf_init(&buf, tenon_heap());
    tenon_buf_format(&buf, "%*d", width, 7);
    tenon_buf_format(&buf, "%*d", width, 8);
    CHECK(buf.size == (size_t)width * 2, "width %d", width);
    CHECK(buf.data[width - 1] == '7', "width %d", width);
    CHECK(buf.data[width * 2 - 1] == '8', "width %d", width);
    CHECK(buf.data[width * 2] == 0, "width %d", width);
    tenon_buf_deinit(&buf);
  }
}

static const struct {
  double value;
  const char *text;
} doubles[] = {
    {0.0, "0.0"},
    {-0.0, "-0.0"},
    {1, "1.0"},
    {-2.5, "-2.5"},
    {0.1, "0.1"},
    {1.0 / 3, "0.3333333333333333"},
    {2.0 / 3, "0.6666666666666666"},
    {0.1 + 0.2, "0.30000000000000004"},
    {100, "100.0"},
    {123456789, "123456789.0"},
    {0.0001, "0.0001"},
    {0.00012345, "0.00012345"},
    {0.00001, "1e-05"},
    {1.5e-7, "1.5e-07"},
    {1e15, "1000000000000000.0"},
    {1e16, "1e+16"},
    {9007199254740993.0, "9007199254740992.0"},
    {1.25e20, "1.25e+20"},
    {1e22, "1e+22"},
    {1e23, "1e+23"},
    {1e100, "1e+100"},
    {DBL_MAX, "1.7976931348623157e+308"},
    {DBL_MIN, "2.2250738585072014e-308"},
    {4.9406564584124654e-324, "5e-324"},
    {HUGE_VAL, "inf"},
    {-HUGE_VAL, "-inf"},
    {NAN, "nan"},
};

static void prints_doubles_shortly(void **state) {
  tenon_buf buf;
  (void)state;
  tenon_buf_init(&buf, tenon_heap());
  EACH_ROW(i, doubles) {
    tenon_buf_clear(&buf);
    tenon_buf_double(&buf, doubles[i].value);
    CHECK_TEXT(buf.data, doubles[i].text, i);
  }
  tenon_buf_deinit(&buf);
}

static void prints_floats_shortly(void **state) {
  static const struct {
    float value;
    const char *text;
  } rows[] = {
      {0, "0.0"},
      {0.1f, "0.1"},
      {-1.5f, "-1.5"},
      {1.0f / 3, "0.33333334"},
      {16777216.0f, "16777216.0"},
      {3.4e12f, "3400000000000.0"},
      {1e20f, "1e+20"},
      {FLT_MAX, "3.4028235e+38"},
      {FLT_MIN, "1.1754944e-38"},
      {1.40129846e-45f, "1e-45"},
      {HUGE_VALF, "inf"},
      {-HUGE_VALF, "-inf"},
      {-NAN, "nan"},
  };
  tenon_buf buf;
  (void)state;
  tenon_buf_init(&buf, tenon_heap());
  EACH_ROW(i, rows) {
    tenon_buf_clear(&buf);
    tenon_buf_float(&buf, rows[i].value);
    CHECK_TEXT(buf.data, rows[i].text, i);
  }
  tenon_buf_deinit(&buf);
}

static uint64_t next_random(uint64_t *seed) {
  *seed ^= *seed << 13;
  *seed ^= *seed >> 7;
  *seed ^= *seed << 17;
  return *seed;
}

static size_t count_digits(const char *text) {
  size_t count = 0, zeros = 0;
  for (; *text && *text != 'e'; ++text) {
    if (*text < '0' || *text > '9' || (*text == '0' && count == 0)) continue;
    ++count;
    zeros = *text == '0' ? zeros + 1 : 0;
  }
  return count - zeros;
}

// The least number of digits after which the C library reads the number back.
static size_t least_digits(double value, bool is_float) {
  char text[64];
  for (int n = 1; n < 17; ++n) {
    snprintf(text, sizeof text, "%.*e", n - 1, value);
    if (is_float ? strtof(text, NULL) == (float)value
                 : strtod(text, NULL) == value) {
      return (size_t)n;
    }
  }
  return 17;
}

static void check_read_back(tenon_buf *buf, double value, bool is_float) {
  double back = 0;
  tenon_buf_clear(buf);
  if (is_float) {
    tenon_buf_float(buf, (float)value);
  } else {
    tenon_buf_double(buf, value);
  }
  const char *text = buf->data ? buf->data : "";
  CHECK(tenon_text_double(tenon_text_of(text), &back), "%s", text);
  if (is_float) back = (double)(float)back;
  CHECK(memcmp(&back, &value, sizeof back) == 0, "%s", text);
  if (value == 0) return;
  CHECK(count_digits(text) <= least_digits(value, is_float), "%s", text);
}

static void reads_back_what_it_printed(void **state) {
  uint64_t seed = 88172645463325252;
  tenon_buf buf;
  (void)state;
  tenon_buf_init(&buf, tenon_heap());
  for (int i = 0; i < 20000; ++i) {
    uint64_t bits = next_random(&seed);
    uint32_t half = (uint32_t)(bits >> 32);
    double value = 0;
    float small = 0;
    if (i % 4 == 0) bits &= ~(UINT64_C(0x7ff) << 52);  // subnormal
    if (i % 4 == 1) half &= ~(UINT32_C(0xff) << 23);
    memcpy(&value, &bits, sizeof value);
    memcpy(&small, &half, sizeof small);
    if (isfinite(value)) check_read_back(&buf, value, false);
    if (isfinite(small)) check_read_back(&buf, (double)small, true);
  }
  for (int i = -1074; i < 1024; ++i)
    check_read_back(&buf, ldexp(1, i), false);
  tenon_buf_deinit(&buf);
}

static void prints_a_point_in_any_locale(void **state) {
#ifdef _WIN32
  // Its C library has one locale for all threads, which a library must not
  // touch: what an application has set is in numbers of formatted texts.
  skip();
#endif
  static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8",
                                      "fr_FR.UTF-8", "de_DE", "nl_NL.UTF-8"};
  const char *name = NULL;
  double back = 0;
  tenon_buf buf;
  (void)state;
  for (size_t i = 0; !name && i < COUNT(names); ++i)
    name = setlocale(LC_ALL, names[i]);
  if (!name || strcmp(localeconv()->decimal_point, ",") != 0) {
    setlocale(LC_ALL, "C");
    skip();
  }
  tenon_buf_init(&buf, tenon_heap());
  tenon_buf_double(&buf, 1234.5);
  tenon_buf_char(&buf, ' ');
  tenon_buf_float(&buf, 0.1f);
  tenon_buf_format(&buf, " %.2f %g", 2.5, 1.5);
  bool reads = tenon_text_double(tenon_text_of("2.75"), &back);
  setlocale(LC_ALL, "C");
  CHECK_TEXT(buf.data, "1234.5 0.1 2.50 1.5", 0);
  assert_true(reads && back == 2.75);
  tenon_buf_deinit(&buf);
}

static void quotes(void **state) {
  static const struct {
    const char *text;
    size_t size;
    const char *quoted, *json;
  } rows[] = {
      {"", 0, "\"\"", "\"\""},
      {"a b", 3, "\"a b\"", "\"a b\""},
      {"\"\\\n\t", 4, "\"\\\"\\\\\\n\\t\"", "\"\\\"\\\\\\n\\t\""},
      {"\r\b\f", 3, "\"\\x0d\\x08\\x0c\"", "\"\\r\\b\\f\""},
      {"\x01\x1f\x7f", 3, "\"\\x01\\x1f\\x7f\"", "\"\\u0001\\u001f\\u007f\""},
      {"\xc2\x9b\xe2\x80\xae", 5, "\"\\xc2\\x9b\\xe2\\x80\\xae\"",
       "\"\\u009b\\u202e\""},
      {"\xf3\xa0\x81\x81", 4, "\"\\xf3\\xa0\\x81\\x81\"", "\"\\udb40\\udc41\""},
      {"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", 9,
       "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"",
       "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\""},
      {"\xff", 1, "\"\\xff\"", "\"\xef\xbf\xbd\""},
      {"\xc3", 1, "\"\\xc3\"", "\"\xef\xbf\xbd\""},
      {"\xc3(", 2, "\"\\xc3(\"", "\"\xef\xbf\xbd(\""},
      {"\xe2\x82", 2, "\"\\xe2\\x82\"", "\"\xef\xbf\xbd\xef\xbf\xbd\""},
      {"\xc0\x80", 2, "\"\\xc0\\x80\"", "\"\xef\xbf\xbd\xef\xbf\xbd\""},
      {"a\0b", 3, "\"a\\x00b\"", "\"a\""},
  };
  tenon_buf buf;
  (void)state;
  tenon_buf_init(&buf, tenon_heap());
  EACH_ROW(i, rows) {
    tenon_buf_clear(&buf);
    tenon_buf_quote(&buf, rows[i].text, rows[i].size);
    CHECK_TEXT(buf.data, rows[i].quoted, i);
    tenon_buf_clear(&buf);
    tenon_buf_json(&buf, rows[i].text);
    CHECK_TEXT(buf.data, rows[i].json, i);
  }
  tenon_buf_deinit(&buf);
}

// Names of a model, whole and where the room ends.
static void shows_names(void **state) {
  static const struct {
    const char *text, *shown;
    size_t size;
  } rows[] = {
      {"", "", 1},
      {"conv_1/\xc3\xa9", "conv_1/\xc3\xa9", 64},
      {"a\nb\x1b[2J\x7f", "a\\x0ab\\x1b[2J\\x7f", 64},
      {"\xc2\x85\xd8\x9c", "\\xc2\\x85\\xd8\\x9c", 64},
      {"\xe2\x81\xa6\xe2\x80\xa8", "\\xe2\\x81\\xa6\\xe2\\x80\\xa8", 64},
      {"\xff\xc3", "\\xff\\xc3", 64},
      {"a\\x0a", "a\\x0a", 64},
      {"ab\ncd", "ab", 6},
      {"ab\ncd", "ab\\x0a", 7},
      {"a\xc3\xa9", "a", 3},
      {"abc", "", 1},
  };
  char text[64];
  tenon_buf buf;
  (void)state;
  tenon_buf_init(&buf, tenon_heap());
  EACH_ROW(i, rows) {
    tenon_buf_clear(&buf);
    tenon_buf_shown(&buf, rows[i].text);
    size_t size = tenon_text_show(text, rows[i].size, rows[i].text);
    CHECK_TEXT(text, rows[i].shown, i);
    CHECK(size == buf.size, "row %zu: %zu bytes", i, size);
    CHECK(size == tenon_text_show(NULL, 0, rows[i].text), "row %zu", i);
    if (size < rows[i].size) CHECK_TEXT(buf.data ? buf.data : "", text, i);
  }
  tenon_buf_deinit(&buf);
}

static void latches_failure(void **state) {
  tenon_heap_probe probe = {.below = tenon_heap(), .limit = 64};
  tenon_buf buf;
  (void)state;
  tenon_buf_init(&buf, tenon_heap_probed(&probe));
  tenon_buf_text(&buf, "fits");
  tenon_buf_format(&buf, "%100d", 1);
  assert_true(buf.failed);
  assert_string_equal(buf.data, "fits");
  tenon_buf_text(&buf, "more");
  assert_string_equal(buf.data, "fits");
  tenon_buf_clear(&buf);
  tenon_buf_text(&buf, "again");
  assert_true(!buf.failed && strcmp(buf.data, "again") == 0);
  tenon_buf_add(&buf, "", SIZE_MAX);
  assert_true(buf.failed);
  tenon_buf_deinit(&buf);
}

static bool print_all(const tenon_allocator *allocator, void *self) {
  tenon_buf buf;
  (void)self;
  tenon_buf_init(&buf, *allocator);
  for (int i = 0; i < 20; ++i) {
    tenon_buf_text(&buf, "text ");
    tenon_buf_format(&buf, "%d %s", i, "formatted");
    tenon_buf_double(&buf, i / 7.0);
    tenon_buf_quote(&buf, "a\nb", 3);
    tenon_buf_json(&buf, "a\nb");
  }
  bool ok = !buf.failed;
  if (ok) assert_int_equal(buf.size, strlen(buf.data));
  tenon_buf_deinit(&buf);
  return ok;
}

static void survives_every_failure(void **state) {
  (void)state;
  test_sweep(print_all, NULL);
}

TEST_GROUP(buf, cmocka_unit_test(adds_texts),
           cmocka_unit_test(formats_any_length),
           cmocka_unit_test(prints_doubles_shortly),
           cmocka_unit_test(prints_floats_shortly),
           cmocka_unit_test(reads_back_what_it_printed),
           cmocka_unit_test(prints_a_point_in_any_locale),
           cmocka_unit_test(quotes), cmocka_unit_test(shows_names),
           cmocka_unit_test(latches_failure),
           cmocka_unit_test(survives_every_failure))
