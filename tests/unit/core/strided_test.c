#include "core/strided.h"

#include "fixture.h"
#include "tenon/tensor.h"

#define W(offset_, rank_, ...) \
  { offset_, rank_, __VA_ARGS__ }

typedef struct window {
  int64_t offset;
  int rank;
  int64_t size[4], stride[4];
} window;

// What the answers are without looking at more than the numbers.
static const struct {
  window a, b;
  bool shares;
} pairs[] = {
    {W(0, 1, {3}, {1}), W(3, 1, {3}, {1}), false},
    {W(0, 1, {4}, {1}), W(3, 1, {3}, {1}), true},
    {W(0, 1, {3}, {2}), W(1, 1, {3}, {2}), false},
    {W(0, 1, {3}, {2}), W(1, 1, {3}, {3}), true},
    // Columns of a matrix of six.
    {W(0, 2, {4, 3}, {6, 1}), W(3, 2, {4, 3}, {6, 1}), false},
    {W(0, 2, {4, 4}, {6, 1}), W(3, 2, {4, 3}, {6, 1}), true},
    // The lower and the upper neighbours of a diagonal; the diagonal itself.
    {W(1, 1, {3}, {5}), W(4, 1, {3}, {5}), false},
    {W(0, 1, {4}, {5}), W(0, 2, {4, 4}, {4, 1}), true},
    {W(5, 0, {0}, {0}), W(0, 2, {2, 3}, {3, 1}), true},
    {W(6, 0, {0}, {0}), W(0, 2, {2, 3}, {3, 1}), false},
    {W(0, 2, {0, 3}, {3, 1}), W(0, 1, {3}, {1}), false},
    {W(0, 1, {9}, {0}), W(1, 1, {9}, {0}), false},
    {W(0, 1, {9}, {-1}), W(99, 1, {9}, {1}), true},
    {W(0, 1, {INT64_MAX}, {3}), W(1, 1, {INT64_MAX}, {3}), true},
};

static tenon_strided of(const window *w) {
  return (tenon_strided){w->offset, w->size, w->stride, w->rank};
}

static void share_elements(void **state) {
  (void)state;
  EACH_ROW(i, pairs) {
    tenon_strided a = of(&pairs[i].a), b = of(&pairs[i].b);
    CHECK(tenon_strided_shares(&a, &b) == pairs[i].shares, "row %zu", i);
    CHECK(tenon_strided_shares(&b, &a) == pairs[i].shares, "row %zu turned", i);
  }
}

static const struct {
  window w;
  bool repeats;
} single[] = {
    {W(0, 2, {2, 3}, {3, 1}), false},
    {W(0, 2, {2, 3}, {1, 2}), false},
    {W(0, 2, {2, 3}, {2, 1}), true},
    {W(0, 2, {3, 2}, {1, 1}), true},
    {W(0, 1, {3}, {0}), true},
    {W(0, 1, {1}, {0}), false},
    {W(0, 2, {0, 3}, {0, 0}), false},
    {W(0, 0, {0}, {0}), false},
    // Strides that interleave without meeting.
    {W(0, 2, {2, 3}, {3, 2}), false},
    {W(0, 2, {3, 4}, {3, 2}), true},
};

static void repeat_elements(void **state) {
  (void)state;
  EACH_ROW(i, single) {
    tenon_strided w = of(&single[i].w);
    CHECK(tenon_strided_repeats(&w) == single[i].repeats, "row %zu", i);
  }
}

// All windows of two dimensions with small numbers, against counting.
static void agree_with_counting(void **state) {
  (void)state;
  for (int code = 0; code < 4 * 4 * 6 * 6 * 8; ++code) {
    int rest = code;
    window w = {0, 2, {0}, {0}}, v = {0, 2, {2, 2}, {5, 1}};
    w.size[0] = rest % 4, rest /= 4;
    w.size[1] = rest % 4, rest /= 4;
    w.stride[0] = rest % 6, rest /= 6;
    w.stride[1] = rest % 6, rest /= 6;
    v.offset = rest;
    int count[64] = {0};
    bool repeats = false, shares = false;
    for (int64_t i = 0; i < w.size[0] * w.size[1]; ++i)
      repeats |=
          ++count[i / w.size[1] * w.stride[0] + i % w.size[1] * w.stride[1]] >
          1;
    for (int64_t i = 0; i < 4; ++i)
      shares |= count[v.offset + i / 2 * 5 + i % 2] > 0;
    tenon_strided a = of(&w), b = of(&v);
    CHECK(tenon_strided_repeats(&a) == repeats, "window %d repeats", code);
    CHECK(tenon_strided_shares(&a, &b) == shares, "window %d shares", code);
  }
}

TEST_GROUP(strided, cmocka_unit_test(share_elements),
           cmocka_unit_test(repeat_elements),
           cmocka_unit_test(agree_with_counting))
