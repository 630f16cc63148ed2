// Tests of read/read.c: which format bytes are, and what is said of others.
#include "read/read.h"

#include <stdlib.h>

#include "unit/read/models.h"

static void says_what_was_found(void **state) {
  (void)state;
  static const struct {
    const char *bytes;
    size_t size;
    const char *text;
  } rows[] = {
      {"", 0, "found an empty file"},
      {"\x1f\x8b.", 3, "found a gzip file"},
      {"\x7f"
       "ELF",
       4, "found an ELF image"},
      {"\x89HDF\r\n\x1a\n", 8, "found an HDF5 file"},
      {"GGUF", 4, "found a GGUF file"},
      {"\x93NUMPY", 6, "found a NumPy array"},
      {"\x80\2", 2, "found a pickle"},
      {"%PDF-1", 6, "found a PDF document"},
      {"{\"a\": 1}", 8, "found a JSON text"},
      {"<html>", 6, "found a text of markup"},
      {"\x1c\0\0\0TFL2", 8, "found byte 0x32 for its last character"},
      {"\1\2\3", 3, "found 3 bytes that begin 01 02 03 00 00 00 00 00"},
  };
  world w;
  world_open(&w, NULL);
  tenon_read_options options = {.struct_size = sizeof options, .name = "a.bin"};
  EACH_ROW(i, rows) {
    world_read(&w, rows[i].bytes, rows[i].size, &options);
    CHECK(w.status == TENON_BAD_MODEL && w.log.errors == 1, "row %zu", i);
    CHECK_LOG(&w.log, "read-format", rows[i].text, i);
    CHECK(strstr(w.log.text, "a.bin: first bytes"), "row %zu", i);
  }
  world_close(&w);
}

static void reads_text(void **state) {
  (void)state;
  static const char text[] = "module {\n  %x = input f32[2]\n  return %x\n}\n";
  world w;
  world_open(&w, NULL);
  world_read(&w, text, sizeof text - 1, NULL);
  CHECK(w.status == TENON_OK, "%s", w.log.text);
  assert_string_equal(w.m->format, "text");
  world_close(&w);
}

static void reads_without_options(void **state) {
  (void)state;
  size_t size = 0;
  world w;
  world_open(&w, NULL);
  char *data = read_file(TEST_MODELS "/raw.tflite", &size);
  world_read(&w, data, size, NULL);
  CHECK(w.status == TENON_OK, "%s", w.log.text);
  assert_string_equal(w.m->name, "model");
  world_close(&w);
  free(data);
}

static void refuses_options_it_does_not_know(void **state) {
  (void)state;
  struct {
    tenon_read_options known;
    int64_t more;
  } newer = {.known = {.struct_size = sizeof newer}, .more = 1};
  tenon_read_options flags = {.struct_size = sizeof flags, .flags = 4};
  world w;
  world_open(&w, NULL);
  world_read(&w, "x", 1, &newer.known);
  assert_int_equal(w.status, TENON_BAD_ARGUMENT);
  CHECK_LOG(&w.log, "options-size", "members this library lacks", 0);
  world_read(&w, "x", 1, &flags);
  assert_int_equal(w.status, TENON_BAD_ARGUMENT);
  CHECK_LOG(&w.log, "options-flags", "0x4", 0);
  world_close(&w);
}

static void freezes_the_context(void **state) {
  (void)state;
  world w;
  world_open(&w, NULL);
  world_read(&w, "x", 1, NULL);
  assert_int_equal(tenon_context_add(w.cx, &test_plugin), TENON_CONFLICT);
  world_close(&w);
}

// What the first pass over a graph accepts, the shape rules may still refuse.
static void gives_back_a_module_that_does_not_hold(void **state) {
  (void)state;
  static const char text[] =
      "module {\n  %x = input f32[2]\n  %y = input f32[3]\n"
      "  %z = core::add(%x, %y) : f32[2]\n  return %z\n}\n";
  world w;
  world_open(&w, NULL);
  world_read(&w, text, sizeof text - 1, NULL);
  assert_int_equal(w.status, TENON_BAD_MODEL);
  assert_null(w.m);
  world_close(&w);
}

TEST_GROUP(read, cmocka_unit_test(says_what_was_found),
           cmocka_unit_test(reads_text),
           cmocka_unit_test(reads_without_options),
           cmocka_unit_test(refuses_options_it_does_not_know),
           cmocka_unit_test(freezes_the_context),
           cmocka_unit_test(gives_back_a_module_that_does_not_hold))
