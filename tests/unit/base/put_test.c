#include "base/put.h"

#include <math.h>

#include "harness/harness.h"

static void prints_by_type(void **state) {
  tenon_buf buf;
  const char name[] = "a\"b";
  const uint8_t small = 200;
  const bool is_there = true;
  (void)state;
  tenon_buf_init(&buf, tenon_heap());
  tenon_put(&buf, "$|$|$|$|$|$|$|", INT64_MIN, UINT64_MAX, -7, small, 0,
            is_there, name);
  assert_string_equal(buf.data,
                      "-9223372036854775808|18446744073709551615|-7|200|0|true|"
                      "a\"b|");
  tenon_buf_clear(&buf);
  tenon_put(&buf, "$$'$'", (const char *)NULL, tenon_as_json(name),
            tenon_as_shown("x\n"));
  assert_string_equal(buf.data, "\"a\\\"b\"'x\\x0a'");
  tenon_buf_deinit(&buf);
}

static void prints_json(void **state) {
  tenon_buf buf;
  (void)state;
  tenon_buf_init(&buf, tenon_heap());
  tenon_put_json(&buf, "$'name': $, 'none': $, 'is_odd': $, 'n': $}",
                 tenon_as_plain("{"), "a\"b", (const char *)NULL, (bool)!1, 3);
  assert_string_equal(
      buf.data,
      "{\"name\": \"a\\\"b\", \"none\": null, \"is_odd\": false, \"n\": 3}");
  tenon_buf_clear(&buf);
  tenon_put_json(&buf, "[$, $, $, $]", 0.5, (double)INFINITY, -(double)INFINITY,
                 (double)NAN);
  assert_string_equal(buf.data, "[0.5, \"inf\", \"-inf\", \"nan\"]");
  tenon_buf_deinit(&buf);
}

static void takes_sixteen(void **state) {
  tenon_buf buf;
  (void)state;
  tenon_buf_init(&buf, tenon_heap());
  tenon_put(&buf, "$$$$$$$$$$$$$$$$", 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12,
            13, 14, 15);
  assert_string_equal(buf.data, "0123456789101112131415");
  tenon_buf_deinit(&buf);
}

TEST_GROUP(put, cmocka_unit_test(prints_by_type), cmocka_unit_test(prints_json),
           cmocka_unit_test(takes_sixteen))
