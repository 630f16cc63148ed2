// random_normal.c - normal numbers, as PyTorch's normal_ draws them: less than
// 16 one at a time, more in blocks of 16, whose halves are the two numbers that
// Box and Muller's method makes of two. The last block ends with the tensor and
// is drawn anew where the others leave a rest; what the rest draws of f32 and
// f64 is lost.
#include "kern/num/generator.h"

enum { NAME_BLOCK = 16 };

static void NAME_fill(const tenon_random_normal_attrs *a, uint32_t *g,
                      ELEMENT *y) {
  double even[NAME_BLOCK];
  for (int i = 0; i < NAME_BLOCK; ++i)
    even[i] = (double)tenon_generator_WIDE(g);
  for (int i = 0; i < NAME_BLOCK / 2; ++i) {
    double second;
    const double first = tenon_generator_polar(
        tenon_log(1.0 - even[i]), even[i + NAME_BLOCK / 2], &second);
    y[i] = STORE((NUMBER)fma(first, a->std, a->mean));
    y[i + NAME_BLOCK / 2] = STORE((NUMBER)fma(second, a->std, a->mean));
  }
}

TENON_KERNEL_RANGE(KERNEL) {
  const tenon_random_normal_attrs *a =
      (const tenon_random_normal_attrs *)c->attrs;
  uint32_t *g = tenon_generator_of(c);
  (void)begin;  // one item: numbers come one after the other
  (void)end;
  ELEMENT *y = (ELEMENT *)c->out[0].data;
  const ptrdiff_t n = (ptrdiff_t)tenon_count(&c->out[0]), rest = n % NAME_BLOCK;
  if (n < NAME_BLOCK || a->single) {
    for (ptrdiff_t i = 0; i < n; ++i)
      y[i] = STORE((NUMBER)fma(tenon_generator_normal(g), a->std, a->mean));
    return TENON_OK;
  }
  for (ptrdiff_t i = 0; i < n - rest; i += NAME_BLOCK)
    NAME_fill(a, g, y + i);
  for (ptrdiff_t i = 0; i < rest && sizeof *y > 2; ++i)
    (void)tenon_generator_WIDE(g);
  if (rest) NAME_fill(a, g, y + n - NAME_BLOCK);
  return TENON_OK;
}
