// Tests of read/weights/pickle.c and state_dict.c: pickles written by hand, as
// torch.save writes them, and those that want more than tensors.
#include "read/weights/pickle.h"

#include "harness/harness.h"
#include "harness/log.h"
#include "read/weights/state_dict.h"
#include "unit/read/archives.h"

typedef struct parsed {
  test_log log;
  tenon_report report;
  tenon_arena arena;
  const tenon_pickle_value *root;
  tenon_status status;
} parsed;

static void begin(parsed *p) {
  memset(p, 0, sizeof *p);
  p->report.sink = test_log_sink(&p->log);
  tenon_arena_init(&p->arena, tenon_heap());
}

static void parse(parsed *p, const char *bytes, size_t size) {
  begin(p);
  tenon_pickle pickle = {NULL, NULL, 0};
  p->status =
      tenon_pickle_parse((tenon_bytes){(const uint8_t *)bytes, size}, 0,
                         &p->arena, &p->report, "w.pt", "data.pkl", &pickle);
  p->root = pickle.root;
}

#define TEXT(size, text) "X" size "\0\0\0" text
#define STORAGE(kind, key)                                        \
  "((" TEXT("\7", "storage") "ctorch\n" kind "\n" TEXT("\1", key) \
      TEXT("\3", "cpu") "K\x06tQ"
// {"w": a tensor of two rows of three in storage "0", from element 1 on}
#define TENSOR \
  "ctorch._utils\n_rebuild_tensor_v2\n" STORAGE("FloatStorage", "0") \
  "K\1K\2K\3\x86K\3K\1\x86\x89" "ccollections\nOrderedDict\n)RtR"

static const char state_pickle[] = "\x80\2}q\0(" TEXT("\1", "w") TENSOR "u.";

static void reads_tensors(void **state) {
  (void)state;
  parsed p;
  parse(&p, state_pickle, sizeof state_pickle - 1);
  CHECK(p.status == TENON_OK, "%s", p.log.text);
  assert_int_equal(p.root->kind, TENON_PICKLE_DICT);
  assert_int_equal(p.root->count, 2);
  const tenon_pickle_value *w = p.root->items[1];
  assert_int_equal(w->kind, TENON_PICKLE_TENSOR);
  assert_int_equal(w->dtype, TENON_F32);
  assert_int_equal(w->i, 1);
  assert_int_equal(w->sizes->items[1]->i, 3);
  assert_int_equal(w->strides->items[0]->i, 3);
  assert_string_equal(w->storage->text, "0");
  tenon_arena_deinit(&p.arena);
}

static void reads_values(void **state) {
  (void)state;
  static const struct {
    const char *bytes;
    size_t size;
    tenon_pickle_kind kind;
    int64_t i;
  } rows[] = {
      {"K\x07.", 3, TENON_PICKLE_INT, 7},
      {"M\x01\x02.", 4, TENON_PICKLE_INT, 513},
      {"J\xfe\xff\xff\xff.", 6, TENON_PICKLE_INT, -2},
      {"\x8a\x00.", 3, TENON_PICKLE_INT, 0},
      {"\x8a\x02\x00\x80.", 5, TENON_PICKLE_INT, -32768},
      {"\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f.", 11, TENON_PICKLE_INT,
       INT64_MAX},
      {"\x88.", 2, TENON_PICKLE_INT, 1},
      {"N.", 2, TENON_PICKLE_NONE, 0},
      {"G\x3f\xf8\0\0\0\0\0\0.", 10, TENON_PICKLE_FLOAT, 0},
      {"\x80\4\x95\4\0\0\0\0\0\0\0\x8c\1a\x94.", 16, TENON_PICKLE_TEXT, 0},
      {"ctorch\nfloat16\n.", 16, TENON_PICKLE_NAME, 0},
      {"\x8a\x09"
       "123456789.",
       12, TENON_PICKLE_OTHER, 0},
      {"C\2ab.", 5, TENON_PICKLE_OTHER, 0},
      {"B\2\0\0\0ab.", 8, TENON_PICKLE_OTHER, 0},
      {"\x8f(K\1K\2\x90.", 8, TENON_PICKLE_OTHER, 0},
      {"(K\1K\2d.", 7, TENON_PICKLE_DICT, 0},
      {"(K\1K\2l.", 7, TENON_PICKLE_LIST, 0},
      {"\x8d\1\0\0\0\0\0\0\0a.", 11, TENON_PICKLE_TEXT, 0},
      {"ccollections\nOrderedDict\n](K\1K\2\x86"
       "e\x85R.",
       36, TENON_PICKLE_DICT, 0},
  };
  EACH_ROW(i, rows) {
    parsed p;
    parse(&p, rows[i].bytes, rows[i].size);
    CHECK(p.status == TENON_OK, "row %zu: %s", i, p.log.text);
    CHECK(p.root->kind == rows[i].kind && p.root->i == rows[i].i, "row %zu", i);
    tenon_arena_deinit(&p.arena);
  }
}

static void knows_storages(void **state) {
  (void)state;
  static const struct {
    const char *name;
    tenon_dtype dtype;
  } rows[] = {
      {"torch\nFloatStorage", TENON_F32},
      {"torch\nDoubleStorage", TENON_F64},
      {"torch\nHalfStorage", TENON_F16},
      {"torch\nBFloat16Storage", TENON_BF16},
      {"torch\nLongStorage", TENON_S64},
      {"torch\nIntStorage", TENON_S32},
      {"torch\nShortStorage", TENON_S16},
      {"torch\nCharStorage", TENON_S8},
      {"torch\nByteStorage", TENON_U8},
      {"torch\nBoolStorage", TENON_BOOL},
      {"torch\nComplexFloatStorage", TENON_C64},
      {"torch.storage\nUntypedStorage", 0},
      {"torch\nfloat8_e4m3fn", TENON_F8E4M3FN},
      {"torch\nfloat8_e5m2", TENON_F8E5M2},
      {"torch\nuint16", TENON_U16},
      {"torch\nuint64", TENON_U64},
      {"torch\nbfloat16", TENON_BF16},
  };
  EACH_ROW(i, rows) {
    char bytes[64];
    parsed p;
    int n = snprintf(bytes, sizeof bytes, "c%s\n.", rows[i].name);
    parse(&p, bytes, (size_t)n);
    CHECK(p.status == TENON_OK, "row %zu: %s", i, p.log.text);
    CHECK(p.root->kind == TENON_PICKLE_NAME && p.root->dtype == rows[i].dtype,
          "row %zu", i);
    tenon_arena_deinit(&p.arena);
  }
}

static void executes_nothing(void **state) {
  (void)state;
#define ROW(bytes, text) \
  { bytes, sizeof bytes - 1, text }
  static const struct {
    const char *bytes;
    size_t size;
    const char *text;
  } rows[] = {
      ROW("cposix\nsystem\n" TEXT("\2", "ls") "\x85R.", "'posix.system'"),
      ROW("\x80\4\x8c\5posix\x8c\6system\x93.", "'posix.system'"),
      ROW("cbuiltins\neval\n.", "'builtins.eval'"),
      ROW("ctorch\nload\n.", "'torch.load'"),
      ROW("ctorch._tensor\n_rebuild_from_type_v2\n.", "unwrap_tensor_subclass"),
      ROW("ctorch\nFloatStorage\n)R.", "no function"),
      ROW("K\1)R.", "cannot be called"),
      ROW("(K\1K\2\x81.", "operation 0x81"),
      ROW("i.", "operation 0x69"),
      ROW("", "is cut"),
      ROW("K", "is cut"),
      ROW(".", "ends with 0"),
      ROW("K\1K\2.", "ends with 2"),
      ROW("(K\1.", "ends with"),
      ROW("t.", "a mark is missing"),
      ROW("K\1\x86.", "empty stack"),
      ROW("h\3.", "was not remembered"),
      ROW("K\1r\0\0\0\x7f.", "remembers too much"),
      ROW("K\1K\2K\3s.", "adds to what is no dictionary"),
      ROW("}(K\1u.", "no dictionary"),
      ROW("X\xff\xff\xff\xff"
          "a.",
          "is cut"),
      ROW("X\2\0\0\0a\0.", "a zero"),
      ROW("\x8a\x09"
          "12345678.",
          "is cut"),
      ROW("C\2a.", "is cut"),
      ROW("K\1(K\2\x90.", "no set"),
      ROW("(K\1d.", "no dictionary"),
      ROW("ccollections\nOrderedDict\n](K\1K\2K\3\x87"
          "e\x85R.",
          "that is none"),
      ROW("ccollections\nOrderedDict\nK\1\x85R.", "that is none"),
      ROW("((" TEXT("\7", "storage") "ctorch\nFloatStorage\n" TEXT("\1", "0")
              TEXT("\3", "cpu") "K\6"
                                "K\1tQ.",
          "a part of another"),
      ROW("K\1Q.", "no storage"),
      ROW("ctorch._utils\n_rebuild_tensor_v2\n(K\1K\2tR.", "that is none"),
      ROW("ctorch._utils\n_rebuild_parameter\n(K\1tR.", "no tensor"),
  };
  EACH_ROW(i, rows) {
    parsed p;
    parse(&p, rows[i].bytes, rows[i].size);
    CHECK(p.status == TENON_BAD_MODEL && p.log.errors == 1, "row %zu: %s", i,
          p.log.text);
    CHECK_LOG(&p.log, "read-pickle", rows[i].text, i);
    tenon_arena_deinit(&p.arena);
  }
}

static void reads_state_dicts(void **state) {
  (void)state;
  const float data[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  parsed p;
  archive a;
  tenon_state_dict dict;
  memset(&a, 0, sizeof a);
  archive_add(&a, "archive/data.pkl", state_pickle, sizeof state_pickle - 1);
  archive_add(&a, "archive/byteorder", "little", 6);
  archive_add(&a, "archive/data/0", data, sizeof data);
  archive_end(&a);
  begin(&p);
  p.status = tenon_state_dict_open(&dict, (tenon_bytes){a.data, a.size}, 0,
                                   &p.arena, &p.report, "w.pt", "w");
  CHECK(p.status == TENON_OK, "%s", p.log.text);
  const tenon_pickle_value *w = tenon_state_dict_find(&dict, "w");
  assert_non_null(w);
  assert_null(tenon_state_dict_find(&dict, "v"));
  tenon_zip_member *member = tenon_state_dict_member(&dict, w);
  assert_non_null(member);
  assert_int_equal(member->size, sizeof data);
  tenon_state_dict_deinit(&dict);
  tenon_arena_deinit(&p.arena);
  archive_free(&a);
}

TEST_GROUP(pickle, cmocka_unit_test(reads_tensors),
           cmocka_unit_test(reads_values), cmocka_unit_test(knows_storages),
           cmocka_unit_test(executes_nothing),
           cmocka_unit_test(reads_state_dicts))
