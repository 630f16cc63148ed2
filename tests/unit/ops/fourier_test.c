// Fourier transforms beside the sum that defines them.
#include <math.h>

#include "harness/model.h"

static const double turn = 6.283185307179586;

// Element (k, l) of the transform of x [rows, columns], cut or filled to h, w.
static void expected(const float *x, int rows, int columns, int h, int w, int k,
                     int l, double *re, double *im) {
  *re = *im = 0;
  for (int i = 0; i < h && i < rows; ++i)
    for (int j = 0; j < w && j < columns; ++j) {
      double angle = turn * ((double)(i * k % h) / h + (double)(j * l % w) / w);
      *re += (double)x[i * columns + j] * cos(angle);
      *im -= (double)x[i * columns + j] * sin(angle);
    }
}

// Two images at once; how far each element is off, in parts of the image's sum.
static void check(test_model *t, int rows, int columns, int h, int w) {
  char text[512];
  int kept = w / 2 + 1;
  snprintf(text, sizeof text,
           "module { func @0 \"main\" (%%x: f32[2,%d,%d]) {\n"
           "%%c = core::rfft2(%%x) [size=[%d, %d]] : c64[2,%d,%d]\n"
           "%%r = core::real(%%c) : f32[2,%d,%d]\n"
           "%%i = core::imag(%%c) : f32[2,%d,%d]\n"
           "%%a = core::complex_abs(%%c) : f32[2,%d,%d]\n"
           "return %%r, %%i, %%a\n}\n"
           "entry \"main\" = @0 (\"x\") -> (\"r\", \"i\", \"a\") }",
           rows, columns, h, w, h, kept, h, kept, h, kept, h, kept);
  tenon_program *p = model_compile(t, text, NULL);
  uint32_t seed = 3;
  test_run r;
  run_open(&r, p, 0, NULL);
  run_fill(&r.in[0], &seed);
  CHECK(run_once(&r) == TENON_OK, "%s", t->log.text);
  for (int n = 0; n < 2 * h * kept; ++n) {
    double re, im, got[3], size = 0;
    const float *x =
        (const float *)r.in[0].data + n / (h * kept) * rows * columns;
    for (int i = 0; i < rows * columns; ++i)
      size += fabs((double)x[i]);
    expected(x, rows, columns, h, w, n / kept % h, n % kept, &re, &im);
    const double want[3] = {re, im, sqrt(re * re + im * im)};
    for (int i = 0; i < 3; ++i) {
      got[i] = (double)((const float *)r.out[i].data)[n];
      CHECK(fabs(got[i] - want[i]) <= 1e-7 * size,
            "%dx%d in %dx%d, element %d, output %d: %g, not %g", rows, columns,
            h, w, n, i, got[i], want[i]);
    }
  }
  run_close(&r);
  tenon_program_destroy(p);
}

static void transform_as_the_sum_does(void **state) {
  static const int rows[][4] = {{4, 8, 4, 8},  {1, 1, 1, 1},   {5, 3, 8, 4},
                                {9, 9, 4, 2},  {2, 16, 1, 16}, {16, 2, 16, 1},
                                {8, 64, 8, 64}};
  test_model t;
  (void)state;
  model_open(&t, NULL);
  EACH_ROW(i, rows)
  check(&t, rows[i][0], rows[i][1], rows[i][2], rows[i][3]);
  model_close(&t);
}

static void refuse_other_sizes(void **state) {
  test_model t;
  tenon_module *m = NULL;
  const char *text =
      "module { func @0 \"main\" (%x: f32[6,6]) {\n"
      "%c = core::rfft2(%x) [size=[6, 8]] : c64[6,5]\nreturn %c\n}\n"
      "entry \"main\" = @0 (\"x\") -> (\"c\") }";
  (void)state;
  model_open(&t, NULL);
  CHECK(tenon_module_read(t.cx, text, strlen(text), NULL, &m) != TENON_OK,
        "accepted");
  CHECK(strstr(t.log.text, "size 6 is no power of two"), "%s", t.log.text);
  model_close(&t);
}

TEST_GROUP(fourier, cmocka_unit_test(transform_as_the_sum_does),
           cmocka_unit_test(refuse_other_sizes))
