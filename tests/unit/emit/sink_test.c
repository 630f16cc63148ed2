#include "emit/sink.h"

#include "harness/harness.h"

typedef struct keeper {
  char text[40000];
  size_t size;
  int calls, fail_at;
} keeper;

static tenon_status keep(void *self, const char *file, const char *text,
                         size_t size) {
  keeper *k = (keeper *)self;
  assert_string_equal(file, "f");
  if (++k->calls == k->fail_at) return TENON_IO;
  assert_true(k->size + size < sizeof k->text);
  memcpy(k->text + k->size, text, size);
  k->size += size;
  k->text[k->size] = 0;
  return TENON_OK;
}

static void prints_arrays_by_type(void **state) {
  static const struct {
    tenon_dtype dtype;
    uint8_t data[16];
    uint64_t size;
    const char *type, *want;
  } rows[] = {
      {TENON_S8, {0xff, 0x80, 5}, 3, "int8_t", "\n    -1, -128, 5"},
      {TENON_U8, {0xff}, 1, "uint8_t", "\n    255"},
      {TENON_BOOL, {1, 0}, 2, "uint8_t", "\n    1, 0"},
      {TENON_S16, {0, 0x80, 1, 0}, 4, "int16_t", "\n    -32768, 1"},
      {TENON_S32, {0, 0, 0, 0x80}, 4, "int32_t", "\n    INT32_MIN"},
      {TENON_S64, {0, 0, 0, 0, 0, 0, 0, 0x80}, 8, "int64_t", "\n    INT64_MIN"},
      {TENON_U32, {0xff, 0xff, 0xff, 0xff}, 4, "uint32_t", "\n    4294967295u"},
      {TENON_F32, {0, 0, 0x80, 0x3f}, 4, "float", "\n    1.0f"},
      {TENON_F32, {0, 0, 0xc0, 0x7f}, 4, "uint32_t", "\n    2143289344u"},
      {TENON_F64,
       {0, 0, 0, 0, 0, 0, 0xf0, 0x3f},
       8,
       "double",
       "\n    0x1.0000000000000p0"},
      {TENON_F64,
       {0, 0, 0, 0, 0, 0, 0xf0, 0x7f},
       8,
       "uint64_t",
       "\n    9218868437227405312u"},
      {TENON_C64,
       {0, 0, 0x80, 0x3f, 0, 0, 0, 0},
       8,
       "float",
       "\n    1.0f, 0.0f"},
      {TENON_F16, {0, 0x3c}, 2, "uint16_t", "\n    15360"},
      {TENON_S4, {0x21}, 1, "uint8_t", "\n    33"},
  };
  (void)state;
  EACH_ROW(i, rows) {
    keeper k = {.size = 0};
    tenon_sink s;
    const char *type =
        tenon_sink_array_type(rows[i].dtype, rows[i].data, rows[i].size);
    CHECK_TEXT(type, rows[i].type, i);
    tenon_sink_open(&s, keep, &k, "f");
    tenon_sink_array(&s, rows[i].dtype, rows[i].data, rows[i].size);
    assert_int_equal(tenon_sink_close(&s), TENON_OK);
    CHECK_TEXT(k.text, rows[i].want, i);
  }
}

static void prints_words(void **state) {
  keeper k = {.size = 0};
  tenon_sink s;
  const uint8_t data[] = {1, 2, 3, 4, 5};
  (void)state;
  tenon_sink_open(&s, keep, &k, "f");
  tenon_sink_words(&s, data, sizeof data);
  assert_int_equal(tenon_sink_close(&s), TENON_OK);
  CHECK_TEXT(k.text, "\n    0x04030201, 0x00000005", 0);
}

static void keeps_lines_short(void **state) {
  static int8_t data[5000];
  keeper k = {.size = 0};
  tenon_sink s;
  (void)state;
  for (size_t i = 0; i < sizeof data; ++i)
    data[i] = (int8_t)(i * 37);
  tenon_sink_open(&s, keep, &k, "f");
  tenon_sink_array(&s, TENON_S8, data, sizeof data);
  assert_int_equal(tenon_sink_close(&s), TENON_OK);
  assert_true(k.calls > 1);
  for (char *line = k.text; *line;) {
    size_t size = strcspn(line, "\n");
    assert_true(size < 80);
    line += size + (line[size] == '\n');
  }
}

static void stops_when_the_writer_fails(void **state) {
  (void)state;
  for (int n = 1; n < 4; ++n) {
    keeper k = {.fail_at = n};
    tenon_sink s;
    char big[9000];
    memset(big, 'x', sizeof big);
    tenon_sink_open(&s, keep, &k, "f");
    tenon_sink_text(&s, "a");
    tenon_sink_add(&s, big, sizeof big);
    tenon_sink_text(&s, "b");
    assert_int_equal(tenon_sink_close(&s), TENON_IO);
    assert_int_equal(k.calls, n);
  }
}

TEST_GROUP(sink, cmocka_unit_test(prints_arrays_by_type),
           cmocka_unit_test(prints_words), cmocka_unit_test(keeps_lines_short),
           cmocka_unit_test(stops_when_the_writer_fails))
