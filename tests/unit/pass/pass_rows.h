// tests/unit/pass/pass_rows.h - a text, what a pipeline makes of it.
#ifndef TENON_TESTS_PASS_ROWS_H
#define TENON_TESTS_PASS_ROWS_H

#include "harness/model.h"
#include "tenon/ext/plugin.h"

typedef struct pass_row {
  const char *text;
  const char *part;  // stands in the printed module
  const char *op;    // stands there `count` times
  size_t count;
} pass_row;

TENON_INLINE void check_rows_with(const tenon_plugin *plugin,
                                  const char *pipeline, const pass_row *rows,
                                  size_t n) {
  test_model t;
  model_open(&t, plugin);
  for (size_t i = 0; i < n; ++i) {
    const char *after = model_after(&t, rows[i].text, pipeline);
    CHECK(strstr(after, rows[i].part), "row %zu: no '%s' in\n%s", i,
          rows[i].part, after);
    CHECK(model_count(after, rows[i].op) == rows[i].count,
          "row %zu: not %zu '%s' in\n%s", i, rows[i].count, rows[i].op, after);
  }
  model_close(&t);
}

TENON_INLINE void check_rows(const char *pipeline, const pass_row *rows,
                             size_t n) {
  check_rows_with(NULL, pipeline, rows, n);
}

// With `pipeline` each gives the bits that it gives without passes.
TENON_INLINE void check_same_bits(const char *pipeline, const pass_row *rows,
                                  size_t n) {
  test_model t;
  model_open(&t, NULL);
  for (size_t i = 0; i < n; ++i) {
    tenon_buf want, got;
    tenon_buf_init(&want, tenon_heap());
    tenon_buf_init(&got, tenon_heap());
    model_bits(&t, rows[i].text, NO_PASSES, &want);
    model_bits(&t, rows[i].text, pipeline, &got);
    CHECK(want.size == got.size && want.size > 0 &&
              memcmp(want.data, got.data, want.size) == 0,
          "row %zu:\n%s", i, rows[i].text);
    tenon_buf_deinit(&want);
    tenon_buf_deinit(&got);
  }
  model_close(&t);
}

#endif  // TENON_TESTS_PASS_ROWS_H
