#include "core/report.h"

#include "base/text.h"
#include "harness/harness.h"

typedef struct seen {
  int count;
  uint32_t severity, struct_size;
  char id[40], message[TENON_MESSAGE_SIZE + 16];
  const tenon_place *place;
  const tenon_diag *note;
} seen;

static void note_down(void *self, const tenon_diag *diag) {
  seen *s = self;
  ++s->count;
  s->severity = diag->severity;
  s->struct_size = diag->struct_size;
  s->place = diag->place;
  s->note = diag->next_note;
  (void)snprintf(s->id, sizeof s->id, "%s", diag->id);
  (void)snprintf(s->message, sizeof s->message, "%s", diag->message);
}

static tenon_report report_to(seen *s) {
  tenon_report report = {{s, note_down}};
  memset(s, 0, sizeof *s);
  return report;
}

static void returns_what_it_was_given(void **state) {
  seen s;
  tenon_report report = report_to(&s);
  tenon_place place = {"a.tflite", "op 3", NULL, 0, 0};
  (void)state;
  assert_int_equal(tenon_fail(&report, TENON_BAD_MODEL, "tflite-options",
                              &place, "expected %d, found '%s'", 3, "x"),
                   TENON_BAD_MODEL);
  assert_int_equal(s.count, 1);
  assert_int_equal(s.severity, TENON_ERROR);
  assert_int_equal(s.struct_size, sizeof(tenon_diag));
  assert_ptr_equal(s.place, &place);
  assert_null(s.note);
  assert_string_equal(s.id, "tflite-options");
  assert_string_equal(s.message, "expected 3, found 'x'");
}

static void carries_notes(void **state) {
  seen s;
  tenon_report report = report_to(&s);
  tenon_diag note = {sizeof note, TENON_NOTE, "x-y", "because", NULL, NULL};
  (void)state;
  assert_int_equal(tenon_fail_notes(&report, TENON_UNSUPPORTED, "x-y", NULL,
                                    &note, "no %s", "kernel"),
                   TENON_UNSUPPORTED);
  assert_ptr_equal(s.note, &note);
  assert_null(s.place);
  assert_string_equal(s.message, "no kernel");
}

static void has_words_for_memory_and_defects(void **state) {
  seen s;
  tenon_report report = report_to(&s);
  (void)state;
  assert_int_equal(tenon_fail_memory(&report, "reading"), TENON_NO_MEMORY);
  assert_string_equal(s.id, "memory");
  assert_string_equal(s.message, "out of memory while reading");
  assert_int_equal(tenon_fail_bug(&report, "%d", 7), TENON_BUG);
  assert_string_equal(s.id, "bug");
  assert_int_equal(s.severity, TENON_ERROR);
}

static void warns_and_notes(void **state) {
  seen s;
  tenon_report report = report_to(&s);
  (void)state;
  tenon_warn(&report, "a-b", NULL, "%s", "careful");
  assert_int_equal(s.severity, TENON_WARNING);
  assert_string_equal(s.message, "careful");
  tenon_note(&report, "a-b", NULL, "%s", "by the way");
  assert_int_equal(s.severity, TENON_NOTE);
  assert_int_equal(s.count, 2);
}

static void cuts_what_is_too_long(void **state) {
  // One byte of room either side of the end, and characters of several bytes
  // across it.
  static const char *const fillers[] = {"a", "\xc3\xa9", "\xe2\x82\xac",
                                        "\xf0\x9f\x99\x82"};
  (void)state;
  EACH_ROW(i, fillers) {
    size_t step = strlen(fillers[i]);
    for (size_t lead = 0; lead < step; ++lead) {
      char text[TENON_MESSAGE_SIZE * 2] = "";
      seen s;
      tenon_report report = report_to(&s);
      memset(text, '.', lead);
      for (size_t n = lead; n + step < sizeof text; n += step)
        memcpy(text + n, fillers[i], step);
      tenon_fail(&report, TENON_IO, "io", NULL, "%s", text);
      size_t size = strlen(s.message);
      CHECK(size < TENON_MESSAGE_SIZE && size > TENON_MESSAGE_SIZE - 5,
            "row %zu: %zu", i, size);
      CHECK(tenon_text_is_utf8(s.message, size), "row %zu", i);
      CHECK(strcmp(s.message + size - 3, "...") == 0, "row %zu", i);
    }
  }
}

static void keeps_what_just_fits(void **state) {
  char text[TENON_MESSAGE_SIZE];
  seen s;
  tenon_report report = report_to(&s);
  (void)state;
  memset(text, 'x', sizeof text);
  text[sizeof text - 1] = 0;
  tenon_fail(&report, TENON_IO, "io", NULL, "%s", text);
  assert_string_equal(s.message, text);
}

static void needs_nobody_to_listen(void **state) {
  tenon_report deaf = {{NULL, NULL}};
  (void)state;
  assert_int_equal(tenon_fail(&deaf, TENON_IO, "io", NULL, "x"), TENON_IO);
  assert_int_equal(tenon_fail(NULL, TENON_IO, "io", NULL, "x"), TENON_IO);
  tenon_warn(NULL, "io", NULL, "x");
}

TEST_GROUP(report, cmocka_unit_test(returns_what_it_was_given),
           cmocka_unit_test(carries_notes),
           cmocka_unit_test(has_words_for_memory_and_defects),
           cmocka_unit_test(warns_and_notes),
           cmocka_unit_test(cuts_what_is_too_long),
           cmocka_unit_test(keeps_what_just_fits),
           cmocka_unit_test(needs_nobody_to_listen))
