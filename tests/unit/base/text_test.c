#include "base/text.h"

#include <float.h>

#include "harness/harness.h"

static void starts_and_ends(void **state) {
  (void)state;
  assert_true(tenon_text_starts("core::add", "core::"));
  assert_true(tenon_text_starts("a", ""));
  assert_false(tenon_text_starts("cor", "core"));
  assert_true(tenon_text_ends("model.pt2", ".pt2"));
  assert_true(tenon_text_ends("a", ""));
  assert_false(tenon_text_ends("pt2", ".pt2"));
  assert_true(tenon_text_of(NULL).size == 0);
}

static void trims(void **state) {
  static const char *const rows[][2] = {
      {"", ""},         {"  \t\r\n\v\f", ""}, {"a", "a"},
      {" a b ", "a b"}, {"\na", "a"},         {"a\n", "a"},
  };
  (void)state;
  EACH_ROW(i, rows) {
    tenon_text t = tenon_text_trim(tenon_text_of(rows[i][0]));
    CHECK(tenon_text_is(t, rows[i][1]), "row %zu", i);
  }
}

static void cuts_pieces(void **state) {
  // The pieces, each ended by a bar.
  static const char *const rows[][2] = {
      {"", ""},      {"a", "a|"},  {"a,b", "a|b|"}, {"a,,b", "a||b|"},
      {",a", "|a|"}, {"a,", "a|"}, {",", "|"},      {",,", "||"},
  };
  (void)state;
  EACH_ROW(i, rows) {
    char got[64] = "";
    tenon_text rest = tenon_text_of(rows[i][0]), piece;
    while (tenon_text_next(&rest, ',', &piece)) {
      strncat(got, piece.data, piece.size);
      strcat(got, "|");
    }
    CHECK_TEXT(got, rows[i][1], i);
  }
}

static void matches_patterns(void **state) {
  static const struct {
    const char *pattern, *text;
    bool matches;
  } rows[] = {
      {"", "", true},
      {"", "a", false},
      {"*", "", true},
      {"*", "abc", true},
      {"?", "", false},
      {"?", "a", true},
      {"a?c", "abc", true},
      {"aten::*", "aten::add.Tensor", true},
      {"aten::*", "core::add", false},
      {"*add", "core::add", true},
      {"*add", "core::addx", false},
      {"*a*b*c*", "xxaxxbxxcxx", true},
      {"*a*b*c*", "xxaxxcxxbxx", false},
      {"a**b", "ab", true},
      {"a*b", "abab", true},
      {"a*ab", "aaab", true},
      {"*?", "a", true},
      {"*?", "", false},
      {"*a?", "aab", true},
      {"abc", "ab", false},
      {"*aaaaaaaaaaaaab", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false},
  };
  (void)state;
  EACH_ROW(i, rows) {
    bool matches = tenon_text_glob(rows[i].pattern, rows[i].text);
    CHECK(matches == rows[i].matches, "row %zu", i);
  }
}

static void reads_integers(void **state) {
  static const struct {
    const char *text;
    bool ok;
    int64_t value;
  } rows[] = {
      {"0", true, 0},
      {"-0", true, 0},
      {"+7", true, 7},
      {"007", true, 7},
      {"9223372036854775807", true, INT64_MAX},
      {"9223372036854775808", false, 0},
      {"-9223372036854775808", true, INT64_MIN},
      {"-9223372036854775809", false, 0},
      {"99999999999999999999999", false, 0},
      {"0x1F", true, 31},
      {"-0Xff", true, -255},
      {"0x7fffffffffffffff", true, INT64_MAX},
      {"-0x8000000000000000", true, INT64_MIN},
      {"0x8000000000000000", false, 0},
      {"0x", false, 0},
      {"", false, 0},
      {"-", false, 0},
      {"--1", false, 0},
      {"1a", false, 0},
      {"1 ", false, 0},
      {" 1", false, 0},
      {"1.0", false, 0},
  };
  (void)state;
  EACH_ROW(i, rows) {
    int64_t value = 12345;
    bool ok = tenon_text_int(tenon_text_of(rows[i].text), &value);
    CHECK(ok == rows[i].ok, "row %zu: %s", i, rows[i].text);
    CHECK(value == (ok ? rows[i].value : 12345), "row %zu", i);
  }
}

static void reads_floats(void **state) {
  static const struct {
    const char *text;
    bool ok;
    double value;
  } rows[] = {
      {"0", true, 0},
      {"1", true, 1},
      {"-1.5", true, -1.5},
      {"+.5", true, 0.5},
      {"5.", true, 5},
      {"1e3", true, 1000},
      {"1E+3", true, 1000},
      {"25e-1", true, 2.5},
      {"0.1", true, 0.1},
      {"000.0001", true, 0.0001},
      {"1.7976931348623157e308", true, DBL_MAX},
      {"1e309", false, 0},
      {"-1e309", false, 0},
      {"1e99999999999999999999", false, 0},
      {"1e-99999999999999999999", true, 0},
      {"0e99999999999999999999", true, 0},
      {"5e-324", true, 4.9406564584124654e-324},
      {"2e-324", true, 0},
      {"9007199254740993", true, 9007199254740992.0},
      {"9007199254740993.00000000000000000000001", true, 9007199254740994.0},
      {"inf", true, HUGE_VAL},
      {"-inf", true, -HUGE_VAL},
      {"nan", true, NAN},
      {"0x1p3", true, 8},
      {"-0x1.8p1", true, -3},
      {"0xA.8", true, 10.5},
      {"0x1p-1074", true, 4.9406564584124654e-324},
      {"0x1.fffffffffffff8p0", true, 2},
      {"0x1p1024", false, 0},
      {"", false, 0},
      {".", false, 0},
      {"-", false, 0},
      {"e5", false, 0},
      {"1e", false, 0},
      {"1e+", false, 0},
      {"1.2.3", false, 0},
      {"1,5", false, 0},
      {"0x", false, 0},
      {"0x.p1", false, 0},
      {"0x1e3.", true, 483},
      {"1p3", false, 0},
      {"1 ", false, 0},
      {" 1", false, 0},
      {"1f", false, 0},
      {"infinity", false, 0},
      {"NaN", false, 0},
      {"--1", false, 0},
  };
  (void)state;
  EACH_ROW(i, rows) {
    double value = 12345;
    bool ok = tenon_text_double(tenon_text_of(rows[i].text), &value);
    CHECK(ok == rows[i].ok, "row %zu: %s", i, rows[i].text);
    CHECK(near(value, ok ? rows[i].value : 12345, 0), "row %zu: %s is %a", i,
          rows[i].text, value);
  }
}

static void keeps_the_sign_of_zero(void **state) {
  double value = 1;
  (void)state;
  assert_true(tenon_text_double(tenon_text_of("-0.0"), &value));
  assert_true(value == 0 && signbit(value));
}

// Digits beyond any that a double needs still decide a tie.
static void reads_floats_of_any_length(void **state) {
  static char text[5000];
  double value = 0;
  (void)state;
  memset(text, '0', sizeof text);
  memcpy(text, "9007199254740993.", 17);
  text[4998] = 0;
  assert_true(tenon_text_double(tenon_text_of(text), &value));
  assert_true(value == 9007199254740992.0);
  text[4997] = '1';
  assert_true(tenon_text_double(tenon_text_of(text), &value));
  assert_true(value == 9007199254740994.0);

  memset(text, '0', sizeof text);
  memcpy(text, "0.", 2);
  memcpy(text + 4000, "125e4000", 9);
  assert_true(tenon_text_double(tenon_text_of(text), &value));
  assert_true(value == 12.5);

  memset(text, '7', sizeof text);
  memcpy(text + 3000, "e-2999", 7);
  assert_true(tenon_text_double(tenon_text_of(text), &value));
  assert_true(near(value, 7.777777777777777777, 0));
}

// Views end where they say, not at a zero.
static void reads_no_further_than_the_view(void **state) {
  static const char digits[4] = {'1', '2', '3', '4'};
  tenon_text t = {digits, 2};
  int64_t integer = 0;
  double real = 0;
  (void)state;
  assert_true(tenon_text_int(t, &integer) && integer == 12);
  assert_true(tenon_text_double(t, &real) && real == 12);
}

static void knows_utf8(void **state) {
  static const struct {
    const char *text;
    bool ok;
  } rows[] = {
      {"", true},
      {"abc", true},
      {"\xc2\x80", true},
      {"\xdf\xbf", true},
      {"\xe0\xa0\x80", true},
      {"\xed\x9f\xbf", true},
      {"\xee\x80\x80", true},
      {"\xef\xbf\xbf", true},
      {"\xf0\x90\x80\x80", true},
      {"\xf4\x8f\xbf\xbf", true},
      {"\x80", false},
      {"\xbf", false},
      {"\xc0\x80", false},
      {"\xc1\xbf", false},
      {"\xc2", false},
      {"\xc2\x7f", false},
      {"\xc2\xc0", false},
      {"\xe0\x9f\xbf", false},
      {"\xe1\x80", false},
      {"\xe1\x80\xc0", false},
      {"\xed\xa0\x80", false},
      {"\xf0\x8f\xbf\xbf", false},
      {"\xf1\x80\x80", false},
      {"\xf4\x90\x80\x80", false},
      {"\xf5\x80\x80\x80", false},
      {"\xff", false},
      {"ok\xc3\xa9\xff", false},
  };
  (void)state;
  EACH_ROW(i, rows) {
    bool ok = tenon_text_is_utf8(rows[i].text, strlen(rows[i].text));
    CHECK(ok == rows[i].ok, "row %zu", i);
  }
}

static void measures_distance(void **state) {
  static const struct {
    const char *a, *b;
    size_t limit, distance;
  } rows[] = {
      {"", "", 3, 0},
      {"", "abc", 3, 3},
      {"abc", "", 2, 3},
      {"conv", "conv", 0, 0},
      {"conv", "CoNv", 0, 0},
      {"conv", "cnov", 3, 1},
      {"conv", "cov", 3, 1},
      {"conv", "convv", 3, 1},
      {"conv", "cone", 3, 1},
      {"conv", "cone", 0, 1},
      {"kitten", "sitting", 5, 3},
      {"kitten", "sitting", 3, 3},
      {"kitten", "sitting", 2, 3},
      {"kitten", "sitting", 1, 2},
      {"ab", "ba", 1, 1},
      {"abcdef", "badcfe", 5, 3},
      {"ca", "abc", 5, 3},
      {"sunday", "saturday", 100, 3},
      {"abcd", "wxyz", 4, 4},
      {"abcd", "wxyz", SIZE_MAX - 1, 4},
  };
  (void)state;
  EACH_ROW(i, rows) {
    size_t there = tenon_text_distance(rows[i].a, rows[i].b, rows[i].limit);
    size_t back = tenon_text_distance(rows[i].b, rows[i].a, rows[i].limit);
    CHECK(there == rows[i].distance, "row %zu: found %zu", i, there);
    CHECK(back == there, "row %zu", i);
  }
}

// The band against the whole table, on short words of few letters.
static size_t whole_distance(const char *a, const char *b) {
  size_t d[9][9];
  size_t m = strlen(a), n = strlen(b);
  for (size_t i = 0; i <= m; ++i) {
    for (size_t j = 0; j <= n; ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      size_t best = d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      if (d[i - 1][j] + 1 < best) best = d[i - 1][j] + 1;
      if (d[i][j - 1] + 1 < best) best = d[i][j - 1] + 1;
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
          d[i - 2][j - 2] + 1 < best) {
        best = d[i - 2][j - 2] + 1;
      }
      d[i][j] = best;
    }
  }
  return d[m][n];
}

static void make_word(unsigned number, char word[9]) {
  size_t size = number % 9;
  number /= 9;
  for (size_t i = 0; i < size; ++i, number /= 3)
    word[i] = (char)('a' + number % 3);
  word[size] = 0;
}

static void measures_as_the_whole_table_does(void **state) {
  unsigned seed = 1;
  (void)state;
  for (int i = 0; i < 20000; ++i) {
    char a[9], b[9];
    make_word((seed = seed * 1664525 + 1013904223) >> 8, a);
    make_word((seed = seed * 1664525 + 1013904223) >> 8, b);
    size_t want = whole_distance(a, b), limit = (size_t)i % 9;
    if (want > limit) want = limit + 1;
    CHECK(tenon_text_distance(a, b, limit) == want, "'%s' to '%s', limit %zu",
          a, b, limit);
  }
}

static void measures_long_texts(void **state) {
  static char a[3000], b[3000];
  (void)state;
  memset(a, 'x', sizeof a - 1);
  memset(b, 'x', sizeof b - 1);
  b[0] = b[1500] = 'y';
  b[2998] = 0;
  assert_int_equal(tenon_text_distance(a, b, 10), 3);
  assert_int_equal(tenon_text_distance(a, b, 2), 3);
  assert_int_equal(tenon_text_distance(a, b, 1), 2);
}

static void offers_the_nearest(void **state) {
  static const struct {
    const char *name;
    const char *fed[4];
    const char *best;
  } rows[] = {
      {"cov", {"add", "conv", "mul"}, "conv"},
      {"add", {"sub", "mul", "div"}, NULL},
      {"core::add", {"core::sub", "core::mul"}, NULL},
      {"core::ad", {"core::sub", "core::add"}, "core::add"},
      {"cor::add", {"tfl::add", "core::add"}, "core::add"},
      {"core::convolutoin",
       {"core::concat", "core::convolution"},
       "core::convolution"},
      {"--outptu", {"--input", "--output"}, "--output"},
      {"--out", {"--output-folder", "--output"}, "--output"},
      {"--ot", {"--to", "--output"}, "--to"},
      {"--x", {"--output", "--input"}, NULL},
      {"aten::add", {"aten::addmm", "aten::add.Tensor"}, "aten::addmm"},
      {"aten::add", {"aten::add.Tensor"}, "aten::add.Tensor"},
      {"aten::add.Tensor", {"aten::add"}, "aten::add"},
      {"core", {"core::convolution_of_some_length"}, NULL},
      {"ab", {"ba", "abc"}, "ba"},
      {"abc", {"abd", "abe"}, "abd"},
      {"Conv", {"conv"}, "conv"},
      {"", {"a", "abc"}, "a"},
      {"x", {NULL}, NULL},
  };
  (void)state;
  EACH_ROW(i, rows) {
    tenon_nearest n;
    tenon_nearest_init(&n, rows[i].name);
    for (size_t k = 0; k < 4 && rows[i].fed[k]; ++k)
      tenon_nearest_feed(&n, rows[i].fed[k]);
    CHECK_TEXT(n.best ? n.best : "(none)",
               rows[i].best ? rows[i].best : "(none)", i);
  }
}

static void list_words(void **state) {
  char words[12] = "";
  (void)state;
  assert_false(tenon_text_has_word(words, tenon_text_of("dsp")));
  assert_true(tenon_text_add_word(words, sizeof words, tenon_text_of("dsp")));
  assert_true(
      tenon_text_add_word(words, sizeof words, tenon_text_of("mve.fp")));
  assert_string_equal(words, "dsp mve.fp");
  assert_false(tenon_text_add_word(words, sizeof words, tenon_text_of("x")));
  assert_string_equal(words, "dsp mve.fp");
  assert_true(tenon_text_has_word(words, tenon_text_of("mve.fp")));
  assert_false(tenon_text_has_word(words, tenon_text_of("mve")));
}

TEST_GROUP(text, cmocka_unit_test(starts_and_ends), cmocka_unit_test(trims),
           cmocka_unit_test(cuts_pieces), cmocka_unit_test(matches_patterns),
           cmocka_unit_test(reads_integers), cmocka_unit_test(reads_floats),
           cmocka_unit_test(keeps_the_sign_of_zero),
           cmocka_unit_test(reads_floats_of_any_length),
           cmocka_unit_test(reads_no_further_than_the_view),
           cmocka_unit_test(knows_utf8), cmocka_unit_test(measures_distance),
           cmocka_unit_test(measures_as_the_whole_table_does),
           cmocka_unit_test(measures_long_texts),
           cmocka_unit_test(offers_the_nearest), cmocka_unit_test(list_words))
