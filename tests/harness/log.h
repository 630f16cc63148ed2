// tests/harness/log.h - a sink that keeps what is reported as text.
//
//   test_log log = {0};
//   tenon_context_options o = {..., .diag = test_log_sink(&log)};
//   CHECK_LOG(&log, "plugin-abi", "has ABI 7", 0);
//
// One line per diagnostic, "error [id] file: where: message", and one per note,
// indented. What does not fit is dropped.
#ifndef TENON_TESTS_LOG_H
#define TENON_TESTS_LOG_H

#include "harness/harness.h"
#include "tenon/diag.h"

typedef struct test_log {
  char text[16384];
  size_t size;
  int errors, warnings, notes;
} test_log;

TENON_INLINE TENON_PRINTF(2, 3) void test_log_add(test_log *log,
                                                  const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  int n =
      vsnprintf(log->text + log->size, sizeof log->text - log->size, fmt, args);
  va_end(args);
  log->size += (size_t)n;
  if (log->size >= sizeof log->text) log->size = sizeof log->text - 1;
}

TENON_INLINE void test_log_report(void *self, const tenon_diag *diag) {
  static const char *const names[] = {"note", "warning", "error"};
  test_log *log = (test_log *)self;
  const tenon_place *p = diag->place;
  log->errors += diag->severity == TENON_ERROR;
  log->warnings += diag->severity == TENON_WARNING;
  log->notes += diag->severity == TENON_NOTE;
  test_log_add(log, "%s [%s] %s: %s: %s\n", names[diag->severity], diag->id,
               p && p->file ? p->file : "-", p && p->where ? p->where : "-",
               diag->message);
  for (diag = diag->next_note; diag; diag = diag->next_note)
    test_log_add(log, "    note: %s\n", diag->message);
}

TENON_INLINE tenon_diag_sink test_log_sink(test_log *log) {
  tenon_diag_sink sink = {log, test_log_report};
  return sink;
}

TENON_INLINE void test_log_clear(test_log *log) {
  memset(log, 0, sizeof *log);
}

// That a diagnostic of this id is there, and a text somewhere.
#define CHECK_LOG(log, id, part, row) \
  check_log((log), (id), (part), (row), __FILE__, __LINE__)
TENON_INLINE void check_log(const test_log *log, const char *id,
                            const char *part, size_t row, const char *file,
                            int line) {
  char tag[64];
  snprintf(tag, sizeof tag, "[%s]", id);
  if (strstr(log->text, tag) && strstr(log->text, part)) return;
  print_error("row %zu: expected [%s] with '%s', found:\n%s\n", row, id, part,
              log->text);
  _fail(file, line);
}

#endif  // TENON_TESTS_LOG_H
