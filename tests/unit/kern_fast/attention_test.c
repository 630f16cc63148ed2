// Fast attention against the reference, bit for bit: all forms of masks, keys
// and values that several rows of batches share, edges of every tile, rows in
// which nothing counts, and values that are no numbers behind what a mask lets
// in.
#include "kern/product/attention.h"

#include "op_check.h"

enum { NONE, TRUTHS, CAUSAL, ONE_ROW, SUMS, ONE_SUM, MASKS };

typedef struct size_row {
  int batches, heads, shared;  // k and v of `shared` heads
  int rows, keys, width, depth;
} size_row;

static void fill_mask(tenon_tensor *mask, int how, int keys) {
  uint8_t *p = mask->data;
  for (size_t i = 0; i < tenon_count(mask); ++i) {
    const int row = (int)(i / (size_t)keys), key = (int)(i % (size_t)keys);
    p[i] = how == CAUSAL    ? key <= row
           : how == ONE_ROW ? key < keys / 2 + 1
                            : case_random() % 3 != 0;
  }
}

static void add_mask(op_case *c, const size_row *s, int how) {
  tenon_tensor *mask = NULL;
  if (how == NONE) {
    op_case_none(c);
  } else if (how == SUMS) {
    mask = op_case_in(c, TENON_F32, CASE_USUAL, 4, s->batches, 1, s->rows,
                      s->keys);
    for (size_t i = 0; i < tenon_count(mask); ++i)
      if (case_random() % 4 == 0) ((float *)mask->data)[i] = -INFINITY;
  } else if (how == ONE_SUM) {
    op_case_in(c, TENON_F32, CASE_USUAL, 3, s->heads, 1, s->keys);
  } else {
    mask = how == ONE_ROW ? op_case_in(c, TENON_BOOL, 0, 2, 1, s->keys)
                          : op_case_in(c, TENON_BOOL, 0, 2, s->rows, s->keys);
    fill_mask(mask, how, s->keys ? s->keys : 1);
  }
}

static tenon_tensor *add_rows(op_case *c, const size_row *s,
                              const tenon_attention_attrs *attrs, int kind,
                              int heads, int rows, int width) {
  return attrs->rows_first
             ? op_case_in(c, TENON_F32, kind, 4, s->batches, rows, heads, width)
             : op_case_in(c, TENON_F32, kind, 4, s->batches, heads, rows,
                          width);
}

static int check(const size_row *s, int how, int kind,
                 const tenon_attention_attrs *attrs) {
  char name[160];
  op_case c;
  op_case_begin(&c, tenon_op_core_attention.kernels[0], attrs);
  add_rows(&c, s, attrs, kind, s->heads, s->rows, s->width);
  add_rows(&c, s, attrs, kind, s->shared, s->keys, s->width);
  tenon_tensor *v = add_rows(&c, s, attrs, kind, s->shared, s->keys, s->depth);
  // Zeros, whose sums keep the sign that they have.
  for (size_t i = 0; i < tenon_count(v); ++i)
    if (case_random() % 8 == 0) ((float *)v->data)[i] = i & 1 ? -0.0f : 0.0f;
  add_mask(&c, s, how);
  if (attrs->rows_first)
    op_case_out(&c, TENON_F32, 4, s->batches, s->rows, s->heads, s->depth);
  else
    op_case_out(&c, TENON_F32, 4, s->batches, s->heads, s->rows, s->depth);
  snprintf(name, sizeof name, "%d %d %d: %d rows, %d keys, %d, %d; %d, %d, %d",
           s->batches, s->heads, s->shared, s->rows, s->keys, s->width,
           s->depth, how, kind, attrs->rows_first);
  const int checked = test_op_check(&c, "core::attention", "f32", name);
  op_case_end(&c);
  return checked;
}

static void rows_equal_the_reference(void **state) {
  static const size_row sizes[] = {
      {1, 1, 1, 1, 1, 1, 1},    {1, 2, 2, 3, 5, 4, 4},
      {2, 3, 1, 1, 33, 8, 8},   {1, 4, 4, 17, 16, 5, 3},
      {1, 2, 1, 40, 70, 16, 9}, {1, 1, 1, 33, 0, 4, 4},
      {2, 2, 2, 70, 41, 3, 17}, {1, 5, 1, 13, 100, 12, 16},
      {1, 1, 1, 37, 9, 4, 72},  {1, 2, 1, 6, 11, 4, 64},
      {1, 1, 1, 11, 7, 4, 130}, {1, 1, 1, 16, 5, 3, 66}};
  static const tenon_attention_attrs attrs[] = {
      {.scale = 0.35355338454246521, .after = 1},
      {.scale = 1, .after = 0.3, .safe = true},
      {.scale = 1, .after = 1, .fill = {-1e4, true}, .safe = true},
      {.scale = 0.5, .after = 1, .rows_first = true}};
  int checked = 0;
  (void)state;
  case_random_state = 1;
  EACH_ROW(i, sizes)
  for (int how = 0; how < MASKS; ++how)
    for (int kind = 0; kind < CASE_DATA_KINDS; ++kind)
      EACH_ROW(a, attrs) checked += check(&sizes[i], how, kind, &attrs[a]);
  if (!checked) skip();
}

TEST_GROUP(attention, cmocka_unit_test(rows_equal_the_reference))
