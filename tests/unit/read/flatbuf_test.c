// Tests of read/flatbuf.c: one buffer with a field of every kind, written by
// hand, and then every way to damage it.
#include "read/flatbuf.h"

#include <stdlib.h>

#include "harness/log.h"

static const tenon_fb_type leaf = {"Leaf", "i", "n", NULL};
static const tenon_fb_type other = {"Other", "s", "text", NULL};
static const tenon_fb_type *const variants[] = {NULL, &leaf, &other};
static const tenon_fb_type root = {
    "Root", "bciulwfsBCHIULFDtTcx-",
    "i8 u8 i32 u32 i64 u64 real text i8s u8s u16s i32s u32s i64s reals data "
    "child children which value gone",
    (const tenon_fb_link[]){{(const tenon_fb_type *const[]){&leaf}, 1},
                            {(const tenon_fb_type *const[]){&leaf}, 1},
                            {variants, 3}}};
enum {
  I8,
  U8,
  I32,
  U32,
  I64,
  U64,
  REAL,
  TEXT,
  I8S,
  U8S,
  U16S,
  I32S,
  U32S,
  I64S,
  REALS,
  DATA,
  CHILD,
  CHILDREN,
  WHICH,
  VALUE,
  GONE,
  N_SLOTS
};
static const uint8_t widths[N_SLOTS] = {1, 1, 4, 4, 8, 8, 4, 4, 4, 4, 4,
                                        4, 4, 4, 4, 4, 4, 4, 1, 4, 4};

typedef struct buffer {
  uint8_t bytes[16384];
  size_t size;
} buffer;

// What the tests damage, by position.
typedef struct places {
  size_t table, vtable, field[N_SLOTS];
  size_t text, i32s, children, child, u8s;
} places;

static void put(buffer *b, size_t at, int width, uint64_t value) {
  for (int i = 0; i < width; ++i)
    b->bytes[at + (size_t)i] = (uint8_t)(value >> (8 * i));
}

static size_t add(buffer *b, int width, uint64_t value) {
  while (b->size % (size_t)width)
    ++b->size;
  put(b, b->size, width, value);
  b->size += (size_t)width;
  return b->size - (size_t)width;
}

static void refer(buffer *b, size_t field, size_t target) {
  put(b, field, 4, target - field);
}

// Table with these fields, absent ones of width 0; the vtable lies before it.
static size_t add_table(buffer *b, const uint8_t *w, int n, size_t *field) {
  uint64_t offset = 4;
  while ((b->size + 4 + 2 * (size_t)n) % 8)
    ++b->size;
  size_t vtable = b->size, table = vtable + 4 + 2 * (size_t)n;
  put(b, vtable, 2, 4 + 2 * (uint64_t)n);
  for (int i = 0; i < n; ++i) {
    if (w[i] == 0) continue;
    offset = (offset + w[i] - 1) / w[i] * w[i];
    put(b, vtable + 4 + 2 * (size_t)i, 2, offset);
    field[i] = table + offset;
    offset += w[i];
  }
  put(b, vtable + 2, 2, offset);
  put(b, table, 4, table - vtable);
  b->size = table + offset;
  return table;
}

static size_t add_leaf(buffer *b, uint64_t n) {
  static const uint8_t w[] = {4};
  size_t field = 0, table = add_table(b, w, 1, &field);
  put(b, field, 4, n);
  return table;
}

static size_t add_text(buffer *b, const char *text) {
  size_t at = add(b, 4, strlen(text));
  memcpy(b->bytes + b->size, text, strlen(text) + 1);
  b->size += strlen(text) + 1;
  return at;
}

static size_t add_vector(buffer *b, int width, uint64_t first,
                         uint64_t second) {
  while (width == 8 && b->size % 8 != 4)  // the elements are aligned
    ++b->size;
  size_t at = add(b, 4, 2);
  add(b, width, first);
  add(b, width, second);
  return at;
}

static void make(buffer *b, places *p) {
  memset(b, 0, sizeof *b);
  memset(p, 0, sizeof *p);
  memcpy(b->bytes + 4, "TEST", 4);
  b->size = 8;
  p->table = add_table(b, widths, N_SLOTS, p->field);
  p->vtable = p->table - 4 - 2 * N_SLOTS;
  put(b, 0, 4, p->table);
  put(b, p->field[I8], 1, 0xfe);
  put(b, p->field[U8], 1, 0xfe);
  put(b, p->field[I32], 4, 0xfffffffd);
  put(b, p->field[U32], 4, 0xfffffffd);
  put(b, p->field[I64], 8, UINT64_MAX - 4);
  put(b, p->field[U64], 8, UINT64_MAX - 4);
  put(b, p->field[REAL], 4, 0x3fc00000);
  put(b, p->field[WHICH], 1, 2);
  refer(b, p->field[TEXT], p->text = add_text(b, "hello"));
  refer(b, p->field[I8S], add_vector(b, 1, 0xff, 1));
  refer(b, p->field[U8S], p->u8s = add_vector(b, 1, 0xff, 1));
  refer(b, p->field[U16S], add_vector(b, 2, 0xffff, 1));
  refer(b, p->field[I32S], p->i32s = add_vector(b, 4, 0xffffffff, 1));
  refer(b, p->field[U32S], add_vector(b, 4, 0xffffffff, 1));
  refer(b, p->field[I64S], add_vector(b, 8, UINT64_MAX, 1));
  refer(b, p->field[REALS], add_vector(b, 4, 0x3fc00000, 0xbf800000));
  refer(b, p->field[DATA], add_vector(b, 1, 7, 8));
  refer(b, p->field[CHILD], p->child = add_leaf(b, 11));
  p->children = add_vector(b, 4, 0, 0);
  refer(b, p->field[CHILDREN], p->children);
  refer(b, p->children + 4, add_leaf(b, 22));
  refer(b, p->children + 8, add_leaf(b, 33));
  static const uint8_t w[] = {4};
  size_t text = 0, value = add_table(b, w, 1, &text);
  refer(b, p->field[VALUE], value);
  refer(b, text, add_text(b, "variant"));
}

// Verifies a copy of exactly that many bytes.
static tenon_status verify(const buffer *b, size_t size, test_log *log) {
  uint8_t *copy = (uint8_t *)malloc(size ? size : 1);
  memcpy(copy, b->bytes, size);
  tenon_report report = {test_log_sink(log)};
  tenon_fb fb = {{copy, size}, &report, "file", "test-flatbuffer"};
  tenon_fb_table table;
  test_log_clear(log);
  tenon_status status = tenon_fb_verify(&fb, "TEST", &root, &table);
  free(copy);
  return status;
}

static void reads_every_kind_of_field(void **state) {
  (void)state;
  buffer b;
  places p;
  test_log log;
  make(&b, &p);
  tenon_report report = {test_log_sink(&log)};
  test_log_clear(&log);
  tenon_fb fb = {{b.bytes, b.size}, &report, "file", "test-flatbuffer"};
  tenon_fb_table t;
  assert_int_equal(tenon_fb_verify(&fb, "TEST", &root, &t), TENON_OK);
  assert_string_equal(log.text, "");
  assert_int_equal(tenon_fb_int(&t, I8, 0), -2);
  assert_int_equal(tenon_fb_int(&t, U8, 0), 254);
  assert_int_equal(tenon_fb_int(&t, I32, 0), -3);
  assert_int_equal(tenon_fb_int(&t, U32, 0), 4294967293u);
  assert_true(tenon_fb_int(&t, I64, 0) == -5);
  assert_true((uint64_t)tenon_fb_int(&t, U64, 0) == UINT64_MAX - 4);
  assert_true(near(tenon_fb_float(&t, REAL, 0), 1.5, 0));
  assert_true(tenon_text_is(tenon_fb_text(&t, TEXT), "hello"));
  static const struct {
    int slot;
    int64_t first;
  } vectors[] = {{I8S, -1},  {U8S, 255},         {U16S, 65535},
                 {I32S, -1}, {U32S, 4294967295}, {I64S, -1}};
  EACH_ROW(i, vectors) {
    tenon_fb_vector v = tenon_fb_list(&t, vectors[i].slot);
    CHECK(v.count == 2, "row %zu", i);
    CHECK(tenon_fb_item_int(&v, 0) == vectors[i].first, "row %zu", i);
    CHECK(tenon_fb_item_int(&v, 1) == 1, "row %zu", i);
    CHECK(tenon_fb_item_int(&v, 2) == 0, "row %zu: beyond the end", i);
  }
  tenon_fb_vector reals = tenon_fb_list(&t, REALS);
  assert_true(near(tenon_fb_item_float(&reals, 1), -1, 0));
  tenon_bytes data = tenon_fb_data(&t, DATA);
  assert_true(data.size == 2 && data.data[1] == 8);
  tenon_fb_table child = tenon_fb_child(&t, CHILD);
  assert_int_equal(tenon_fb_int(&child, 0, 0), 11);
  assert_int_equal(tenon_fb_table_bytes(&child).size, 8);
  tenon_fb_vector children = tenon_fb_list(&t, CHILDREN);
  child = tenon_fb_item(&children, 1);
  assert_int_equal(tenon_fb_int(&child, 0, 0), 33);
  child = tenon_fb_child(&t, VALUE);
  assert_true(tenon_text_is(tenon_fb_text(&child, 0), "variant"));
}

static void reads_what_is_absent_as_the_default(void **state) {
  (void)state;
  buffer b;
  places p;
  test_log log;
  make(&b, &p);
  put(&b, p.vtable, 2, 4);  // a vtable without slots
  tenon_report report = {test_log_sink(&log)};
  test_log_clear(&log);
  tenon_fb fb = {{b.bytes, b.size}, &report, "file", "test-flatbuffer"};
  tenon_fb_table t;
  assert_int_equal(tenon_fb_verify(&fb, "TEST", &root, &t), TENON_OK);
  assert_false(tenon_fb_has(&t, I32));
  assert_int_equal(tenon_fb_int(&t, I32, 7), 7);
  assert_int_equal(tenon_fb_int(&t, 99, 7), 7);
  assert_int_equal(tenon_fb_int(&t, -1, 7), 7);
  assert_true(near(tenon_fb_float(&t, REAL, 2.5), 2.5, 0));
  assert_null(tenon_fb_text(&t, TEXT).data);
  assert_null(tenon_fb_data(&t, DATA).data);
  tenon_fb_table child = tenon_fb_child(&t, CHILD);
  assert_null(child.type);
  assert_null(tenon_fb_child(&child, 0).type);
  assert_int_equal(tenon_fb_table_bytes(&child).size, 0);
  tenon_fb_vector v = tenon_fb_list(&t, CHILDREN);
  assert_int_equal(v.count, 0);
  assert_null(tenon_fb_item(&v, 0).type);
}

static void answers_the_wrong_question_with_the_default(void **state) {
  (void)state;
  buffer b;
  places p;
  test_log log;
  make(&b, &p);
  tenon_report report = {test_log_sink(&log)};
  test_log_clear(&log);
  tenon_fb fb = {{b.bytes, b.size}, &report, "file", "test-flatbuffer"};
  tenon_fb_table t;
  assert_int_equal(tenon_fb_verify(&fb, "TEST", &root, &t), TENON_OK);
  assert_int_equal(tenon_fb_int(&t, TEXT, 7), 7);
  assert_true(near(tenon_fb_float(&t, I32, 0.5), 0.5, 0));
  assert_null(tenon_fb_text(&t, I32).data);
  assert_null(tenon_fb_child(&t, I32).type);
  assert_int_equal(tenon_fb_list(&t, I32).count, 0);
  assert_null(tenon_fb_data(&t, I32S).data);
  tenon_fb_vector v = tenon_fb_list(&t, I32S);
  assert_true(near(tenon_fb_item_float(&v, 0), 0, 0));
  assert_null(tenon_fb_item(&v, 0).type);
  v = tenon_fb_list(&t, REALS);
  assert_int_equal(tenon_fb_item_int(&v, 0), 0);
}

static void reads_an_unknown_member_of_a_union_as_absent(void **state) {
  (void)state;
  static const uint8_t types[] = {3, 255};
  EACH_ROW(i, types) {
    buffer b;
    places p;
    test_log log;
    make(&b, &p);
    put(&b, p.field[WHICH], 1, types[i]);
    tenon_report report = {test_log_sink(&log)};
    test_log_clear(&log);
    tenon_fb fb = {{b.bytes, b.size}, &report, "file", "test-flatbuffer"};
    tenon_fb_table t;
    CHECK(tenon_fb_verify(&fb, "TEST", &root, &t) == TENON_OK, "row %zu", i);
    CHECK(tenon_fb_has(&t, VALUE), "row %zu", i);
    CHECK(!tenon_fb_child(&t, VALUE).type, "row %zu", i);
  }
}

// A damaged place, and what is said of it. `at` is an offset in `places`.
#define AT(member) offsetof(places, member)
static const struct {
  size_t at;
  int add, width;
  uint64_t value;
  const char *text;
} damages[] = {
    {AT(table), 0, 4, 0, "found a distance of 0"},
    {AT(table), 0, 4, 0x40000000, "found a distance of 1073741824"},
    {AT(table), 0, 4, 0xc0000000, "found a distance of -1073741824"},
    {AT(table), 0, 4, 3, "found a distance of 3"},
    {AT(table), 0, 4, 0xfffffff8, "Root: "},
    {AT(vtable), 0, 2, 2, "one of 2 bytes"},
    {AT(vtable), 0, 2, 7, "one of 7 bytes"},
    {AT(vtable), 0, 2, 0xfffe, "one of 65534 bytes"},
    {AT(vtable), 0, 2, 60, "table and its vtable overlap"},
    {AT(vtable), 2, 2, 3, "table of 3 bytes"},
    {AT(vtable), 2, 2, 0xffff, "table of 65535 bytes"},
    {AT(vtable), 4 + 2 * I32, 2, 2, "Root at Root.i32: field at offset 2 "},
    {AT(vtable), 4 + 2 * I32, 2, 0xfff0, "lies outside its table"},
    {AT(vtable), 4 + 2 * I64, 2, 12, "field of 8 bytes is not aligned"},
    {AT(field[TEXT]), 0, 4, 0, "expected an offset, found 0"},
    {AT(field[TEXT]), 0, 4, 3, "expected an offset, found 3"},
    {AT(field[TEXT]), 0, 4, 5, "not a multiple of 4"},
    {AT(field[TEXT]), 0, 4, 0xfffffff0, "behind the end of the file"},
    {AT(text), 0, 4, 0xfffffff0, "string of 4294967280 bytes"},
    {AT(text), 9, 1, 'x', "does not end in a zero byte"},
    {AT(i32s), 0, 4, 0xffffffff, "vector of 4294967295 elements of 4 bytes"},
    {AT(i32s), 0, 4, 0x40000001, "vector of 1073741825 elements"},
    {AT(u8s), 0, 4, 0x7fffffff, "vector of 2147483647 elements of 1 bytes"},
    {AT(field[U8S]), 0, 4, 0x7ffffff0, "Root at Root.u8s: offset 0x7ffffff0"},
    {AT(field[CHILD]), 0, 4, 0x7ffffff0, "Root at Root.child: offset"},
    {AT(child), 0, 4, 0, "Leaf at Root.child: expected a vtable"},
    {AT(field[CHILDREN]), 0, 4, 1, "Root at Root.children: expected"},
    {AT(children), 8, 4, 2, "Root at Root.children[1]: expected an offset"},
    {AT(children), 0, 4, 0x20000000, "vector of 536870912 elements"},
    {AT(field[WHICH]), 0, 1, 0, "a value is given, but its type is not"},
    {AT(field[WHICH]), 0, 1, 1, ""},  // fits the other type by chance
    {AT(field[VALUE]), 0, 4, 0, "Root at Root.value: expected an offset"},
};

static void refuses_every_damage(void **state) {
  (void)state;
  EACH_ROW(i, damages) {
    buffer b;
    places p;
    test_log log;
    make(&b, &p);
    size_t at;
    memcpy(&at, (const char *)&p + damages[i].at, sizeof at);
    put(&b, at + (size_t)damages[i].add, damages[i].width, damages[i].value);
    tenon_status status = verify(&b, b.size, &log);
    if (!damages[i].text[0]) {
      CHECK(status == TENON_OK, "row %zu: %s", i, log.text);
      continue;
    }
    CHECK(status == TENON_BAD_MODEL && log.errors == 1, "row %zu", i);
    CHECK_LOG(&log, "test-flatbuffer", damages[i].text, i);
  }
}

static void refuses_a_header_that_is_none(void **state) {
  (void)state;
  static const struct {
    size_t at;
    int width;
    uint64_t value;
    const char *text;
  } rows[] = {{0, 4, 0, "found 0x0"},
              {0, 4, 10, "found 0xa"},
              {0, 4, 0x7ffffff0, "found 0x7ffffff0"},
              {4, 1, 'X', "identifier 'TEST'"}};
  EACH_ROW(i, rows) {
    buffer b;
    places p;
    test_log log;
    make(&b, &p);
    put(&b, rows[i].at, rows[i].width, rows[i].value);
    CHECK(verify(&b, b.size, &log) == TENON_BAD_MODEL, "row %zu", i);
    CHECK_LOG(&log, "test-flatbuffer", rows[i].text, i);
  }
}

// Whatever is cut off or changed, the walk ends in a report or a success, and
// what succeeded can be read; the sanitizers look on.
static void survives_any_cut_and_any_byte(void **state) {
  (void)state;
  buffer b;
  places p;
  test_log log;
  make(&b, &p);
  for (size_t size = 0; size < b.size; ++size) {
    tenon_status status = verify(&b, size, &log);
    CHECK(status == TENON_BAD_MODEL || status == TENON_OK, "%zu", size);
    CHECK(log.errors == (status != TENON_OK), "%zu", size);
  }
  for (size_t at = 0; at < b.size; ++at) {
    static const uint8_t values[] = {0, 1, 0x7f, 0x80, 0xff};
    EACH_ROW(i, values) {
      uint8_t old = b.bytes[at];
      b.bytes[at] = values[i];
      tenon_status status = verify(&b, b.size, &log);
      CHECK(log.errors == (status != TENON_OK), "byte %zu", at);
      b.bytes[at] = old;
    }
  }
}

static const tenon_fb_type inner = {"Inner", "I", "numbers", NULL};
static const tenon_fb_type outer = {
    "Outer", "T", "inners",
    (const tenon_fb_link[]){{(const tenon_fb_type *const[]){&inner}, 1}}};

// A list of references to one table that holds a long list: honest in every
// place, and yet the walk would take the product of both.
static void bounds_what_is_shared(void **state) {
  (void)state;
  enum { COUNT_EACH = 1000 };
  static const uint8_t w[] = {4};
  static buffer b;
  size_t list = 0, numbers = 0;
  b.size = 8;
  memcpy(b.bytes + 4, "TEST", 4);
  put(&b, 0, 4, add_table(&b, w, 1, &list));
  size_t references = add(&b, 4, COUNT_EACH);
  b.size += 4 * COUNT_EACH;
  refer(&b, list, references);
  size_t child = add_table(&b, w, 1, &numbers);
  for (size_t i = 1; i <= COUNT_EACH; ++i)
    refer(&b, references + 4 * i, child);
  refer(&b, numbers, add(&b, 4, COUNT_EACH));
  b.size += 4 * COUNT_EACH;
  test_log log = {.size = 0};
  tenon_report report = {test_log_sink(&log)};
  tenon_fb fb = {{b.bytes, b.size}, &report, "file", "test-flatbuffer"};
  tenon_fb_table t;
  assert_int_equal(tenon_fb_verify(&fb, "TEST", &outer, &t), TENON_BAD_MODEL);
  CHECK_LOG(&log, "test-flatbuffer", "tables overlap", 0);
  // A few references more than one are what honest files have.
  put(&b, references, 4, 3);
  assert_int_equal(tenon_fb_verify(&fb, "TEST", &outer, &t), TENON_OK);
}

static void recognises_the_identifier(void **state) {
  (void)state;
  assert_true(tenon_fb_recognise("....TEST", 8, "TEST"));
  assert_false(tenon_fb_recognise("....TEST", 7, "TEST"));
  assert_false(tenon_fb_recognise("....TEXT", 8, "TEST"));
}

TEST_GROUP(flatbuf, cmocka_unit_test(reads_every_kind_of_field),
           cmocka_unit_test(reads_what_is_absent_as_the_default),
           cmocka_unit_test(answers_the_wrong_question_with_the_default),
           cmocka_unit_test(reads_an_unknown_member_of_a_union_as_absent),
           cmocka_unit_test(refuses_every_damage),
           cmocka_unit_test(refuses_a_header_that_is_none),
           cmocka_unit_test(survives_any_cut_and_any_byte),
           cmocka_unit_test(bounds_what_is_shared),
           cmocka_unit_test(recognises_the_identifier))
