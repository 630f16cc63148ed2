// Tests of read/weights/weights.c and safetensors.c: an index as text, with one
// thing in it wrong, and what a program says of weights that do not fit.
#include "read/weights/weights.h"

#include "harness/harness.h"
#include "unit/read/archives.h"
#include "unit/read/models.h"

#define F32_2X3 "\"dtype\":\"F32\",\"shape\":[2,3]"

// A file of that index and so many bytes that count up.
static size_t make_file(uint8_t file[1024], const char *index, size_t size) {
  size_t n = strlen(index);
  memset(file, 0, 8);
  file[0] = (uint8_t)n;
  file[1] = (uint8_t)(n >> 8);
  memcpy(file + 8, index, n);
  for (size_t i = 0; i < size; ++i)
    file[8 + n + i] = (uint8_t)i;
  return 8 + n + size;
}

static void reads_safetensors(void **state) {
  (void)state;
  uint8_t file[1024];
  size_t size = make_file(
      file,
      "{\"__metadata__\":{\"format\":\"pt\"},"
      "\"b\":{\"dtype\":\"BF16\",\"shape\":[],\"data_offsets\":[24,26]},"
      "\"a.w\":{" F32_2X3
      ",\"data_offsets\":[0,24]},"
      "\"none\":{\"dtype\":\"I64\",\"shape\":[0],\"data_offsets\":[26,26]}}  ",
      26);
  world w;
  tenon_weights *weights = NULL;
  world_open(&w, NULL);
  assert_int_equal(
      tenon_weights_read(w.cx, file, size, "w.safetensors", &weights),
      TENON_OK);
  assert_int_equal(tenon_weights_count(weights), 3);
  const tenon_weight *a = tenon_weights_find(weights, "a.w");
  assert_non_null(a);
  assert_int_equal(a->type.dtype, TENON_F32);
  assert_int_equal(a->type.rank, 2);
  assert_int_equal(a->type.dims[1].value, 3);
  assert_int_equal(a->bytes.size, 24);
  assert_int_equal(a->bytes.data[5], 5);
  const tenon_weight *b = tenon_weights_find(weights, "b");
  assert_int_equal(b->type.dtype, TENON_BF16);
  assert_int_equal(b->bytes.data[0], 24);
  assert_int_equal(tenon_weights_find(weights, "none")->bytes.size, 0);
  assert_null(tenon_weights_find(weights, "c"));
  tenon_weights_destroy(weights);
  world_close(&w);
}

static void refuses_what_does_not_hold(void **state) {
  (void)state;
  static const struct {
    const char *index;
    size_t size;
    const char *message;
  } rows[] = {
      {"{\"a\":{" F32_2X3 ",\"data_offsets\":[0,24]}}", 23, "bytes 0 to 24 of"},
      {"{\"a\":{" F32_2X3 ",\"data_offsets\":[0,24]}}", 25,
       "the tensors end at byte 24 of 25"},
      {"{\"a\":{" F32_2X3 ",\"data_offsets\":[0,20]}}", 20,
       "20 bytes, where its type has 24"},
      {"{\"a\":{" F32_2X3 ",\"data_offsets\":[24,0]}}", 24, "bytes 24 to 0"},
      {"{\"a\":{" F32_2X3 ",\"data_offsets\":[-4,20]}}", 24, "bytes -4 to 20"},
      {"{\"a\":{" F32_2X3 ",\"data_offsets\":[0]}}", 24, "found nothing"},
      {"{\"a\":{" F32_2X3 ",\"data_offsets\":[0,24]},"
       "\"b\":{" F32_2X3 ",\"data_offsets\":[20,44]}}",
       44, "bytes 20 to 24 are those of more than one tensor"},
      {"{\"a\":{" F32_2X3 ",\"data_offsets\":[4,28]}}", 28,
       "bytes 0 to 4 are those of no tensor"},
      {"{\"a\":{" F32_2X3 ",\"data_offsets\":[0,24]},"
       "\"a\":{" F32_2X3 ",\"data_offsets\":[24,48]}}",
       48, "bytes 0 to 24 are those of no tensor"},
      {"{\"a\":{\"dtype\":\"F4\",\"shape\":[2],\"data_offsets\":[0,1]}}", 1,
       "element type 'F4' is not known"},
      {"{\"a\":{\"dtype\":\"U8\",\"shape\":[-1],\"data_offsets\":[0,1]}}", 1,
       "a size of -1"},
      {"{\"a\":{\"dtype\":\"U8\",\"shape\":[1,1,1,1,1,1,1,1,1],"
       "\"data_offsets\":[0,1]}}",
       1, "9 dimensions"},
      {"{\"a\":{\"dtype\":\"F64\",\"shape\":[2147483647,2147483647,"
       "2147483647],\"data_offsets\":[0,1]}}",
       1, "it has more bytes than can be addressed"},
      {"{\"a\":[]}", 0, "expected an object"},
      {"{\"a\"}", 0, "line 1"},
  };
  EACH_ROW(i, rows) {
    uint8_t file[1024];
    size_t size = make_file(file, rows[i].index, rows[i].size);
    world w;
    tenon_weights *weights = NULL;
    world_open(&w, NULL);
    assert_int_equal(tenon_weights_read(w.cx, file, size, "w", &weights),
                     TENON_BAD_MODEL);
    CHECK(strstr(w.log.text, rows[i].message), "row %zu: %s", i, w.log.text);
    assert_null(weights);
    world_close(&w);
  }
}

// The one weight of `program_text`, w: f32[2].
static tenon_weights *bind(world *w, const char *name, const int32_t *dims,
                           uint8_t rank, tenon_dtype dtype) {
  static const float data[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  archive a;
  tenon_weights *weights = NULL;
  tenon_tensor t = {.data = (void *)(uintptr_t)data,
                    .dims = dims,
                    .dtype = dtype,
                    .rank = rank};
  world_open(w, NULL);
  assert_int_equal(tenon_weights_read(w->cx, NULL, 0, "w", &weights), TENON_OK);
  assert_int_equal(tenon_weights_add(weights, name, &t), TENON_OK);
  tenon_read_options options = {
      .struct_size = sizeof options, .name = "net.pt2", .weights = weights};
  archive_program(&a, program_text, weights_text);
  world_read(w, a.data, a.size, &options);
  archive_free(&a);
  return weights;
}

static void takes_weights_by_name(void **state) {
  (void)state;
  world w;
  tenon_weights *weights = bind(&w, "w", (const int32_t[]){2}, 1, TENON_F32);
  CHECK(w.status == TENON_OK, "%s", w.log.text);
  const float *data = (const float *)w.m->constants.data[0]->constant->data;
  assert_true(data[0] == 1 && data[1] == 2);
  tenon_weights_destroy(weights);
  world_close(&w);
}

// The same weight may come twice, as files that share one have it; another of
// its name may not.
static void takes_a_weight_once(void **state) {
  (void)state;
  static const float one[4] = {1, 2, 3, 4}, other[4] = {1, 2, 3, 5};
  static const int32_t four[] = {4}, pairs[] = {2, 2}, none[] = {0};
  static const struct {
    const float *data;
    const int32_t *dims;
    uint8_t rank;
    tenon_dtype dtype;
    bool is_same;
  } rows[] = {
      {one, four, 1, TENON_F32, true},   {other, four, 1, TENON_F32, false},
      {one, pairs, 2, TENON_F32, false}, {one, four, 1, TENON_S32, false},
      {NULL, none, 1, TENON_F32, false},
  };
  EACH_ROW(i, rows) {
    world w;
    tenon_weights *weights = NULL;
    const tenon_tensor first = {.data = (void *)(uintptr_t)one,
                                .dims = four,
                                .dtype = TENON_F32,
                                .rank = 1};
    const tenon_tensor second = {.data = (void *)(uintptr_t)rows[i].data,
                                 .dims = rows[i].dims,
                                 .dtype = rows[i].dtype,
                                 .rank = rows[i].rank};
    const tenon_tensor empty = {.dims = none, .dtype = TENON_F32, .rank = 1};
    world_open(&w, NULL);
    assert_int_equal(tenon_weights_read(w.cx, NULL, 0, "w", &weights),
                     TENON_OK);
    assert_int_equal(tenon_weights_add(weights, "a", &first), TENON_OK);
    for (int k = 0; k < 2; ++k)
      assert_int_equal(tenon_weights_add(weights, "none", &empty), TENON_OK);
    tenon_status status = tenon_weights_add(weights, "a", &second);
    CHECK(status == (rows[i].is_same ? TENON_OK : TENON_BAD_MODEL), "row %zu",
          i);
    if (!rows[i].is_same)
      CHECK_LOG(&w.log, "weights-file",
                "there are two weights 'a', and they differ", i);
    CHECK(tenon_weights_count(weights) == 2, "row %zu", i);
    tenon_weights_destroy(weights);
    world_close(&w);
  }
}

static void lists_what_does_not_fit(void **state) {
  (void)state;
  static const struct {
    const char *name;
    int32_t dims[2];
    uint8_t rank;
    tenon_dtype dtype;
    const char *message;
  } rows[] = {
      {"w", {3}, 1, TENON_F32, "'w' is f32[3], the program has f32[2]"},
      {"w", {1, 2}, 2, TENON_F32, "'w' is f32[1,2], the program has f32[2]"},
      {"w", {2}, 1, TENON_S32, "'w' is s32[2], the program has f32[2]"},
      {"W", {2}, 1, TENON_F32, "no weight 'W'; did you mean 'w'?"},
  };
  EACH_ROW(i, rows) {
    world w;
    tenon_weights *weights =
        bind(&w, rows[i].name, rows[i].dims, rows[i].rank, rows[i].dtype);
    assert_int_equal(w.status, TENON_BAD_INPUT);
    CHECK(strstr(w.log.text, rows[i].message), "row %zu: %s", i, w.log.text);
    tenon_weights_destroy(weights);
    world_close(&w);
  }
}

static bool read_once(const tenon_allocator *allocator, void *self) {
  (void)self;
  uint8_t file[1024];
  tenon_weights *weights = NULL;
  size_t size =
      make_file(file, "{\"a\":{" F32_2X3 ",\"data_offsets\":[0,24]}}", 24);
  world w;
  world_open(&w, allocator);
  if (w.status == TENON_OK)
    w.status = tenon_weights_read(w.cx, file, size, "w", &weights);
  bool succeeded = w.status == TENON_OK;
  tenon_weights_destroy(weights);
  world_close(&w);
  return succeeded;
}

static void survives_running_out_of_memory(void **state) {
  (void)state;
  test_sweep(read_once, NULL);
}

TEST_GROUP(weights, cmocka_unit_test(reads_safetensors),
           cmocka_unit_test(refuses_what_does_not_hold),
           cmocka_unit_test(takes_weights_by_name),
           cmocka_unit_test(takes_a_weight_once),
           cmocka_unit_test(lists_what_does_not_fit),
           cmocka_unit_test(survives_running_out_of_memory))
