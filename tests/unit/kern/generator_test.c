// The generator against the numbers that its authors and the C++ standard
// publish, and the edges of what is drawn from it.
#include "kern/num/generator.h"

#include "harness/harness.h"

static void start(uint32_t *g, uint32_t seed) {
  memset(g, 0, TENON_GENERATOR_WORDS * sizeof *g);
  g[0] = seed;
}

// MT19937 with its standard seed: the first numbers as mt19937ar prints them
// for init_genrand(5489), and the ten thousandth as [rand.predef] of C++ has
// it.
static void is_mt19937(void **state) {
  (void)state;
  static const uint32_t first[] = {3499211612u, 581869302u, 3890346734u,
                                   3586334585u, 545404204u};
  uint32_t g[TENON_GENERATOR_WORDS], last = 0;
  start(g, 5489);
  for (int i = 0; i < 10000; ++i) {
    last = tenon_generator_next(g);
    if (i < 5) CHECK(last == first[i], "number %d is %u", i, last);
  }
  CHECK(last == 4123659995u, "the 10000th is %u", last);
}

// Whatever somebody writes into the state, nothing is read beside it.
static void stays_within_its_words(void **state) {
  (void)state;
  static const uint32_t used[] = {0, 1, 623, 624, 625, 626, 0xffffffffu};
  uint32_t g[TENON_GENERATOR_WORDS + 1];
  EACH_ROW(i, used) {
    start(g, 7);
    g[TENON_GENERATOR_WORDS] = 99;
    g[TENON_GENERATOR_USED] = used[i];
    for (int k = 0; k < 2000; ++k)
      (void)tenon_generator_next(g);
    CHECK(g[TENON_GENERATOR_USED] <= 625, "row %zu", i);
    CHECK(g[TENON_GENERATOR_WORDS] == 99, "row %zu", i);
  }
}

static void floats_are_below_one(void **state) {
  (void)state;
  uint32_t g[TENON_GENERATOR_WORDS];
  double sum = 0, normal = 0, square = 0;
  enum { N = 20000 };
  start(g, 1);
  for (int i = 0; i < N; ++i) {
    const float f = tenon_generator_f32(g);
    const double d = tenon_generator_f64(g), z = tenon_generator_normal(g);
    CHECK(f >= 0 && f < 1 && d >= 0 && d < 1, "%g %g", (double)f, d);
    sum += (double)f + d;
    normal += z;
    square += z * z;
  }
  CHECK(fabs(sum / (2 * N) - 0.5) < 0.01, "mean %g", sum / (2 * N));
  CHECK(fabs(normal / N) < 0.03 && fabs(square / N - 1) < 0.05, "normal %g %g",
        normal / N, square / N);
}

// The second of two normal numbers waits in the state, whatever comes between.
static void a_normal_number_waits(void **state) {
  (void)state;
  uint32_t a[TENON_GENERATOR_WORDS], b[TENON_GENERATOR_WORDS];
  start(a, 3);
  start(b, 3);
  const double first = tenon_generator_normal(a);
  CHECK(first == tenon_generator_normal(b), "%g", first);
  (void)tenon_generator_next(b);
  const double second = tenon_generator_normal(a);
  CHECK(second == tenon_generator_normal(b) && second != first, "%g", second);
  CHECK(tenon_generator_normal(a) != tenon_generator_normal(b), "the next");
}

TEST_GROUP(generator, cmocka_unit_test(is_mt19937),
           cmocka_unit_test(stays_within_its_words),
           cmocka_unit_test(floats_are_below_one),
           cmocka_unit_test(a_normal_number_waits))
