// Tests of read/zip.c: archives made here, whole and damaged.
#include "read/zip.h"

#include <stdlib.h>

#include "harness/harness.h"
#include "harness/log.h"
#include "unit/read/archives.h"

typedef struct opened {
  test_log log;
  tenon_report report;
  tenon_arena arena;
  tenon_zip zip;
  tenon_status status;
} opened;

static void open_zip(opened *o, const archive *a) {
  memset(o, 0, sizeof *o);
  o->report.sink = test_log_sink(&o->log);
  tenon_arena_init(&o->arena, tenon_heap());
  o->status = tenon_zip_open(&o->zip, (tenon_bytes){a->data, a->size}, 0,
                             &o->arena, &o->report, "a.pt2");
}

static void close_zip(opened *o) {
  tenon_zip_deinit(&o->zip);
  tenon_arena_deinit(&o->arena);
}

static void make(archive *a, bool is_wide) {
  memset(a, 0, sizeof *a);
  a->is_wide = is_wide;
  archive_add(a, "net/one", "first", 5);
  archive_add(a, "net/none", "", 0);
  archive_deflate(a, "net/two", "second second second second", 27);
  archive_end(a);
}

static tenon_bytes read_member(opened *o, const char *name) {
  tenon_bytes bytes = {NULL, 0};
  tenon_zip_member *m = tenon_zip_find(&o->zip, name);
  assert_non_null(m);
  o->status = tenon_zip_read(&o->zip, m, &bytes);
  return bytes;
}

static void reads_members(void **state) {
  (void)state;
  for (int wide = 0; wide < 2; ++wide) {
    archive a;
    opened o;
    make(&a, wide);
    open_zip(&o, &a);
    assert_int_equal(o.status, TENON_OK);
    assert_int_equal(o.zip.count, 3);
    tenon_bytes one = read_member(&o, "net/one");
    assert_int_equal(one.size, 5);
    assert_memory_equal(one.data, "first", 5);
    // Where it lies in the file, and there aligned as torch does.
    assert_true(one.data >= a.data && one.data < a.data + a.size);
    assert_int_equal((one.data - a.data) % 64, 0);
    tenon_bytes two = read_member(&o, "net/two");
    assert_int_equal(two.size, 27);
    assert_memory_equal(two.data, "second second second second", 27);
    assert_int_equal(read_member(&o, "net/none").size, 0);
    assert_null(tenon_zip_find(&o.zip, "net/three"));
    assert_int_equal(o.log.errors, 0);
    close_zip(&o);
    archive_free(&a);
  }
}

// Offsets count from the end of the file of `make`.
static const struct {
  const char *text;
  int at;  // from the end where negative, from the directory else
  int bytes;
  uint64_t value;
} damages[] = {
    {"no end record", -22, 1, 0},
    {"no end record", -2, 2, 9},
    {"lies outside the file", -6, 4, 0x7fffffff},
    {"lies outside the file", -10, 4, 0x7fffffff},
    {"several parts", -14, 2, 4},
    {"do not fit", -14, 4, 0xffffffff},
    {"is encrypted", 8, 2, 1},
    {"compressed by method 97", 10, 2, 97},
    {"checksum", 16, 4, 1},
    {"stored as 4", 20, 4, 4},
    {"lie outside the file", 20, 4, 0x40000000},
    {"lie outside the file", 42, 4, 0xffffff},
    {"has no header", 42, 4, 1},
    {"no entry", 0, 1, 0},
    {"an entry lies outside", 28, 2, 0xffff},
    {"another name", 46, 1, 'N'},
    {"with a zero", 50, 1, 0},
    {"broken extra field", 30, 2, 6},
};

static void refuses_damage(void **state) {
  (void)state;
  EACH_ROW(i, damages) {
    archive a;
    opened o;
    make(&a, false);
    size_t directory = a.size - 22 - a.directory_size;
    size_t at = damages[i].at < 0 ? a.size - (size_t)-damages[i].at
                                  : directory + (size_t)damages[i].at;
    for (int k = 0; k < damages[i].bytes; ++k)
      a.data[at + (size_t)k] = (uint8_t)(damages[i].value >> (8 * k));
    open_zip(&o, &a);
    if (o.status == TENON_OK) o.status = tenon_zip_check(&o.zip);
    CHECK(o.status == TENON_BAD_MODEL && o.log.errors == 1, "row %zu: %s", i,
          o.log.text);
    CHECK_LOG(&o.log, "zip-archive", damages[i].text, i);
    close_zip(&o);
    archive_free(&a);
  }
}

static void refuses_what_is_cut(void **state) {
  (void)state;
  archive a;
  make(&a, true);
  size_t whole = a.size;
  for (a.size = 0; a.size < whole; ++a.size) {
    opened o;
    open_zip(&o, &a);
    CHECK(o.status == TENON_BAD_MODEL && o.log.errors == 1, "%zu bytes",
          a.size);
    close_zip(&o);
  }
  archive_free(&a);
}

static void refuses_duplicates(void **state) {
  (void)state;
  archive a;
  opened o;
  memset(&a, 0, sizeof a);
  archive_add(&a, "net/one", "first", 5);
  archive_add(&a, "net/one", "other", 5);
  archive_end(&a);
  open_zip(&o, &a);
  assert_int_equal(o.status, TENON_BAD_MODEL);
  CHECK_LOG(&o.log, "zip-archive", "twice", (size_t)0);
  close_zip(&o);
  archive_free(&a);
}

// A member that says it unpacks to more than it can.
static void limits_unpacking(void **state) {
  (void)state;
  archive a;
  opened o;
  make(&a, false);
  size_t directory = a.size - 22 - a.directory_size;
  size_t two = directory + 2 * 46 + strlen("net/onenet/none");
  a.data[two + 24 + 3] = 0x70;
  open_zip(&o, &a);
  assert_int_equal(o.status, TENON_OK);
  (void)read_member(&o, "net/two");
  assert_int_equal(o.status, TENON_BAD_MODEL);
  CHECK_LOG(&o.log, "zip-archive", "cannot unpack", (size_t)0);
  close_zip(&o);
  archive_free(&a);
}

// Large members are compared only when asked for.
static void checks_on_request(void **state) {
  (void)state;
  for (int all = 0; all < 2; ++all) {
    archive a;
    opened o;
    size_t size = TENON_ZIP_CHECKED + 1;
    char *data = (char *)calloc(1, size);
    memset(&a, 0, sizeof a);
    archive_add(&a, "net/weight", data, size);
    archive_end(&a);
    a.data[a.size / 2] = 1;
    open_zip(&o, &a);
    o.zip.checks_all = all;
    assert_int_equal(tenon_zip_check(&o.zip), all ? TENON_BAD_MODEL : TENON_OK);
    close_zip(&o);
    archive_free(&a);
    free(data);
  }
}

TEST_GROUP(zip, cmocka_unit_test(reads_members),
           cmocka_unit_test(refuses_damage),
           cmocka_unit_test(refuses_what_is_cut),
           cmocka_unit_test(refuses_duplicates),
           cmocka_unit_test(limits_unpacking),
           cmocka_unit_test(checks_on_request))
