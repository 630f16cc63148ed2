// tests/harness/folded.h - a program compiled exactly and with inexact
// lowerings, and whether the results of both are as near as they should be.
#ifndef TENON_TESTS_FOLDED_H
#define TENON_TESTS_FOLDED_H

#include <math.h>

#include "harness/model.h"

typedef struct folded_pair {
  tenon_program *exact, *folded;
} folded_pair;

TENON_INLINE tenon_program *folded_compile(test_model *t, const char *text,
                                           uint32_t flags) {
  const tenon_compile_options o = {.struct_size = sizeof o, .flags = flags};
  return model_compile(t, text, &o);
}

TENON_INLINE folded_pair folded_open(test_model *t, const char *text) {
  const folded_pair p = {folded_compile(t, text, 0),
                         folded_compile(t, text, TENON_COMPILE_INEXACT)};
  return p;
}

TENON_INLINE void folded_close(folded_pair *p) {
  tenon_program_destroy(p->exact);
  tenon_program_destroy(p->folded);
}

// Valid until the next call.
TENON_INLINE const char *folded_plan(test_model *t, const tenon_program *p) {
  tenon_buf_clear(&t->text);
  assert_int_equal(
      tenon_program_print(p, TENON_FORMAT_TEXT, 0, model_take, &t->text),
      TENON_OK);
  return t->text.data;
}

// Runs both on what `fill` writes; the first results, of f32, are at most
// absolute + relative * |exact| apart.
TENON_INLINE void folded_compare(const folded_pair *p,
                                 void (*fill)(const test_run *r),
                                 double absolute, double relative, size_t row) {
  test_run exact, folded;
  run_open(&exact, p->exact, 0, NULL);
  run_open(&folded, p->folded, 0, NULL);
  fill(&exact);
  fill(&folded);
  assert_int_equal(run_once(&exact), TENON_OK);
  assert_int_equal(run_once(&folded), TENON_OK);
  const float *a = (const float *)exact.out[0].data;
  const float *b = (const float *)folded.out[0].data;
  for (size_t k = 0; k < tenon_count(&exact.out[0]); ++k)
    CHECK(fabs((double)a[k] - (double)b[k]) <=
              absolute + relative * fabs((double)a[k]),
          "row %zu, element %zu: %g, exactly %g", row, k, (double)b[k],
          (double)a[k]);
  run_close(&exact);
  run_close(&folded);
}

#endif  // TENON_TESTS_FOLDED_H
