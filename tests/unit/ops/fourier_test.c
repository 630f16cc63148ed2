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

// Rows of any size, forth, and what they were, back: half of the columns of
// real numbers, and all of complex ones.
static void transform_rows_of_any_size(void **state) {
  static const int sizes[] = {1, 2, 3, 4, 5, 7, 8, 12, 15, 16, 30, 49, 64, 97};
  test_model t;
  (void)state;
  model_open(&t, NULL);
  EACH_ROW(i, sizes) {
    const int n = sizes[i], kept = n / 2 + 1;
    char text[800];
    snprintf(
        text, sizeof text,
        "module { func @0 \"main\" (%%x: f32[3,%d], %%y: f32[3,%d]) {\n"
        "%%a, %%b = core::fourier(%%x) [half=true] : f32[3,%d], f32[3,%d]\n"
        "%%c = core::fourier_real(%%a, %%b) [size=%d, scale=%.17g] : "
        "f32[3,%d]\n"
        "%%d, %%e = core::fourier(%%x, %%y) : f32[3,%d], f32[3,%d]\n"
        "%%f, %%g = core::fourier(%%d, %%e) [inverse=true, scale=%.17g] : "
        "f32[3,%d], f32[3,%d]\n"
        "return %%a, %%b, %%c, %%f, %%g\n}\n"
        "entry \"main\" = @0 (\"x\", \"y\") -> "
        "(\"a\", \"b\", \"c\", \"f\", \"g\") }",
        n, n, kept, kept, n, 1.0 / n, n, n, n, 1.0 / n, n, n);
    tenon_program *p = model_compile(&t, text, NULL);
    uint32_t seed = 5;
    test_run r;
    run_open(&r, p, 0, NULL);
    run_fill(&r.in[0], &seed);
    run_fill(&r.in[1], &seed);
    CHECK(run_once(&r) == TENON_OK, "%s", t.log.text);
    const float *x = (const float *)r.in[0].data;
    const float *y = (const float *)r.in[1].data;
    for (int k = 0; k < 3 * kept; ++k) {
      double re, im;
      expected(x + k / kept * n, 1, n, 1, n, 0, k % kept, &re, &im);
      const double got_re = (double)((const float *)r.out[0].data)[k];
      const double got_im = (double)((const float *)r.out[1].data)[k];
      CHECK(fabs(got_re - re) + fabs(got_im - im) <= 2e-7 * n,
            "size %d, element %d: %g and %g, not %g and %g", n, k, got_re,
            got_im, re, im);
    }
    for (int k = 0; k < 3 * n; ++k) {
      const double c = (double)((const float *)r.out[2].data)[k];
      const double f = (double)((const float *)r.out[3].data)[k];
      const double g = (double)((const float *)r.out[4].data)[k];
      CHECK(fabs(c - (double)x[k]) <= 5e-7 && fabs(f - (double)x[k]) <= 5e-7 &&
                fabs(g - (double)y[k]) <= 5e-7,
            "size %d, element %d: %g, %g and %g of %g and %g", n, k, c, f, g,
            (double)x[k], (double)y[k]);
    }
    run_close(&r);
    tenon_program_destroy(p);
  }
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
           cmocka_unit_test(transform_rows_of_any_size),
           cmocka_unit_test(refuse_other_sizes))
