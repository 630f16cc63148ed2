// Rows as they first occur, and the same rows sorted.
#include "harness/model.h"

#define ROWS "6"
static const int32_t given[6][2] = {{3, 1}, {0, 2}, {3, 1},
                                    {3, 0}, {0, 2}, {3, 1}};

// What the results are: rows, which each row is, how often each occurs.
static void check(const char *order, const int32_t rows[3][2],
                  const int64_t inverse[6], const int64_t counts[3]) {
  char text[512];
  test_model t;
  test_run r;
  int32_t found[6][2];
  int64_t at[6], often[6];
  model_open(&t, NULL);
  snprintf(text, sizeof text,
           "module { dim n = 0..6\nfunc @0 \"main\" (%%x: s32[" ROWS
           ",2]) {\n%%r, %%i, %%c = core::unique(%%x) [%s] : s32[?n,2], "
           "s64[" ROWS
           "], s64[?n]\nreturn %%r, %%i, %%c\n}\n"
           "entry \"main\" = @0 (\"x\") -> (\"r\", \"i\", \"c\") }",
           order);
  tenon_program *p = model_compile(&t, text, NULL);
  run_open(&r, p, 0, NULL);
  memcpy(r.in[0].data, given, sizeof given);
  int32_t sizes[2][2] = {{6, 2}, {6, 0}};
  r.out[0].dims = sizes[0];
  r.out[0].data = found;
  r.out[2].dims = sizes[1];
  r.out[2].data = often;
  tenon_heap_give(r.out[1].data);
  r.out[1].data = at;
  CHECK(run_once(&r) == TENON_OK, "%s", t.log.text);
  CHECK(memcmp(found, rows, sizeof(int32_t[3][2])) == 0, "[%s]: rows", order);
  CHECK(memcmp(at, inverse, sizeof at) == 0, "[%s]: inverse", order);
  CHECK(memcmp(often, counts, sizeof(int64_t[3])) == 0, "[%s]: counts", order);
  for (int i = 0; i < 3; ++i)
    r.out[i].data = NULL;
  run_close(&r);
  tenon_program_destroy(p);
  model_close(&t);
}

static void keeps_the_order_asked_for(void **state) {
  static const int32_t first[3][2] = {{3, 1}, {0, 2}, {3, 0}};
  static const int32_t sorted[3][2] = {{0, 2}, {3, 0}, {3, 1}};
  (void)state;
  check("first=true", first, (const int64_t[]){0, 1, 0, 2, 1, 0},
        (const int64_t[]){3, 2, 1});
  check("", sorted, (const int64_t[]){2, 0, 2, 1, 0, 2},
        (const int64_t[]){2, 1, 3});
}

TEST_GROUP(unique, cmocka_unit_test(keeps_the_order_asked_for))
