// Operators that are described when somebody asks.
#include <pthread.h>

#include "reg/catalog.h"
#include "reg/store.h"
#include "reg_fixture.h"

typedef struct rows {
  const char *names[8], *schemas[8];
  size_t asked;  // how often anything was described
} rows;

static const char *name_of(const void *user, size_t i) {
  return ((const rows *)user)->names[i];
}

static void describe(const void *user, size_t i, tenon_op_desc *out) {
  rows *r = (rows *)(uintptr_t)user;
  ++r->asked;
  out->flags = TENON_OP_DECLARED;
  out->schema = r->schemas[i];
  if (strcmp(r->names[i], "acme::lowered") == 0) {
    out->flags = TENON_OP_PURE;
    out->doc = "Falls apart.";
    out->lower = fixture_lower;
  }
}

typedef struct shelf {
  rows rows;
  tenon_catalog_desc catalog;
  const tenon_catalog_desc *catalogs[2];
  tenon_plugin plugin;
} shelf;

static void fill(shelf *s) {
  const rows r = {{"acme::add", "acme::add.Tensor", "acme::lowered"},
                  {"acme::add(Tensor x) -> Tensor",
                   "acme::add.Tensor(Tensor x, Tensor y) -> Tensor",
                   "acme::lowered(Tensor x) -> Tensor"},
                  0};
  const tenon_plugin plugin = {TENON_PLUGIN_HEADER, .name = "shelf",
                               .version = "1.0.0"};
  const tenon_catalog_desc catalog = {.struct_size = sizeof catalog,
                                      .set = "acme",
                                      .doc = "Three.",
                                      .count = 3,
                                      .name = name_of,
                                      .describe = describe};
  s->rows = r;
  s->catalog = catalog;
  s->catalog.user = &s->rows;
  s->catalogs[0] = &s->catalog;
  s->catalogs[1] = NULL;
  s->plugin = plugin;
  s->plugin.catalogs = s->catalogs;
}

static void describes_once_and_only_what_is_asked_for(void **state) {
  (void)state;
  test_log log;
  shelf s;
  tenon_context *cx = fixture_context(&log, NULL);
  fill(&s);
  assert_int_equal(tenon_context_add(cx, &s.plugin), TENON_OK);
  assert_int_equal(tenon_context_freeze(cx), TENON_OK);
  assert_int_equal(s.rows.asked, 0);
  const tenon_op *op = tenon_registry_find_op(cx, "acme::add.Tensor");
  assert_non_null(op);
  assert_string_equal(op->name, "acme::add.Tensor");
  assert_int_equal(op->schema->n_args, 2);
  assert_ptr_equal(op, tenon_registry_find_op(cx, "acme::add.Tensor"));
  assert_ptr_not_equal(op, tenon_registry_find_op(cx, "acme::add.default"));
  assert_null(tenon_registry_find_op(cx, "acme::ad"));
  assert_null(tenon_registry_find_op(cx, "acme::add.Scalar"));
  assert_int_equal(s.rows.asked, 2);
  assert_string_equal(tenon_registry_nearest_op(cx, "acme::addd"), "acme::add");
  assert_int_equal(log.errors, 0);
  tenon_context_destroy(cx);
}

// Kernels and lowerings of others find them, before the freeze and after it.
static void gets_what_others_bring(void **state) {
  (void)state;
  test_log log;
  shelf s;
  fixture exact, wild, lowering, stray;
  for (int early = 0; early < 2; ++early) {
    tenon_context *cx = fixture_context(&log, NULL);
    fill(&s);
    fixture_kernel(&exact, "exact", "acme::lowered", "exact_f32", 0);
    fixture_kernel(&wild, "wild", "acme::*", "wild_f32", 5);
    fixture_lowering(&lowering, "other", "acme::lowered", "lowered to other",
                     3);
    assert_int_equal(tenon_context_add(cx, &s.plugin), TENON_OK);
    assert_int_equal(tenon_context_add(cx, &exact.plugin), TENON_OK);
    assert_int_equal(tenon_context_add(cx, &wild.plugin), TENON_OK);
    assert_int_equal(tenon_context_add(cx, &lowering.plugin), TENON_OK);
    if (early) assert_non_null(tenon_registry_find_op(cx, "acme::lowered"));
    assert_int_equal(tenon_context_freeze(cx), TENON_OK);
    const tenon_op *op = tenon_registry_find_op(cx, "acme::lowered");
    assert_int_equal(op->n_kernels, 2);
    assert_string_equal(op->kernels[0]->desc->symbol, "exact_f32");
    assert_string_equal(op->kernels[1]->desc->symbol, "wild_f32");
    assert_int_equal(op->n_lowerings, 2);
    assert_string_equal(op->lowerings[0]->desc->name, "lowered to other");
    assert_string_equal(op->lowerings[1]->desc->name, "acme::lowered");
    assert_int_equal(tenon_registry_find_op(cx, "acme::add.Tensor")->n_kernels,
                     0);
    tenon_context_destroy(cx);
  }
  tenon_context *cx = fixture_context(&log, NULL);
  fixture_kernel(&stray, "stray", "acme::lowerd", "stray_f32", 0);
  assert_int_equal(tenon_context_add(cx, &s.plugin), TENON_OK);
  assert_int_equal(tenon_context_add(cx, &stray.plugin), TENON_OK);
  assert_int_equal(tenon_context_freeze(cx), TENON_BAD_PLUGIN);
  CHECK_LOG(&log, "plugin-unknown-op", "did you mean 'acme::lowered'", 0);
  tenon_context_destroy(cx);
}

static void lists_them_among_the_others(void **state) {
  (void)state;
  test_log log;
  shelf s;
  fixture a;
  tenon_registered list[8];
  static const char *const want[] = {"acme::add", "acme::add.Tensor",
                                     "acme::gain", "acme::lowered"};
  tenon_context *cx = fixture_context(&log, NULL);
  fill(&s);
  fixture_op(&a, "one", NULL, NULL);
  assert_int_equal(tenon_context_add(cx, &s.plugin), TENON_OK);
  assert_int_equal(tenon_context_add(cx, &a.plugin), TENON_OK);
  assert_int_equal(tenon_context_list(cx, TENON_REGISTRY_OPS, NULL, 0), 4);
  assert_int_equal(tenon_context_list(cx, TENON_REGISTRY_OPS, list, 8), 4);
  EACH_ROW(i, want) CHECK_TEXT(list[i].name, want[i], i);
  tenon_registered r;
  assert_true(
      tenon_context_find(cx, TENON_REGISTRY_OPS, "acme.lowered", &r, NULL));
  assert_string_equal(r.owner, "shelf");
  tenon_context_destroy(cx);
}

static void refuses_what_does_not_hold_together(void **state) {
  (void)state;
  for (int k = 0; k < 5; ++k) {
    static const char *const ids[] = {"plugin-catalog", "plugin-catalog",
                                      "plugin-incomplete", "plugin-override",
                                      "plugin-name-taken"};
    test_log log;
    shelf s, twice;
    tenon_context *cx = fixture_context(&log, NULL);
    fill(&s);
    fill(&twice);
    if (k == 0) s.rows.names[1] = "acme::add";  // twice
    if (k == 1) s.rows.names[2] = "other::add";
    if (k == 2) s.catalog.describe = NULL;
    if (k == 3) s.catalog.set = "aten";
    if (k == 4)
      assert_int_equal(tenon_context_add(cx, &twice.plugin), TENON_OK);
    CHECK(tenon_context_add(cx, &s.plugin) != TENON_OK, "case %d", k);
    CHECK_LOG(&log, ids[k], "", (size_t)k);
    tenon_context_destroy(cx);
  }
  // What only shows when it is asked for.
  test_log log;
  shelf s;
  const tenon_op *op = NULL;
  tenon_context *cx = fixture_context(&log, NULL);
  fill(&s);
  s.rows.schemas[0] = "acme::other(Tensor x) -> Tensor";
  s.rows.schemas[1] = "acme::add.Tensor(Tensor x -> Tensor";
  assert_int_equal(tenon_context_add(cx, &s.plugin), TENON_OK);
  assert_int_equal(tenon_context_freeze(cx), TENON_OK);
  assert_int_equal(tenon_registry_get_op(cx, "acme::add", &op),
                   TENON_BAD_PLUGIN);
  CHECK_LOG(&log, "plugin-catalog", "it is listed as 'acme::add'", 0);
  assert_int_equal(tenon_registry_get_op(cx, "acme::add.Tensor", &op),
                   TENON_BAD_PLUGIN);
  CHECK_LOG(&log, "plugin-schema", "acme::add.Tensor(Tensor x -", 0);
  assert_int_equal(tenon_registry_get_op(cx, "acme::none", &op), TENON_OK);
  assert_null(op);
  tenon_context_destroy(cx);
}

enum { THREADS = 4, ROUNDS = 100 };

// Opens when all have come; macOS has no barriers of POSIX.
typedef struct gate {
  pthread_mutex_t lock;
  pthread_cond_t open;
  int missing;
} gate;

static void pass(gate *g) {
  (void)pthread_mutex_lock(&g->lock);
  if (--g->missing == 0) (void)pthread_cond_broadcast(&g->open);
  while (g->missing > 0)
    (void)pthread_cond_wait(&g->open, &g->lock);
  (void)pthread_mutex_unlock(&g->lock);
}

typedef struct finder {
  const tenon_context *cx;
  gate *start;
  const tenon_op *found[3];
} finder;

// All begin at once: what each does takes less time than starting a thread.
static void *find_all(void *self) {
  finder *f = (finder *)self;
  static const char *const names[] = {"acme::add", "acme::add.Tensor",
                                      "acme::lowered"};
  pass(f->start);
  EACH_ROW(i, names) f->found[i] = tenon_registry_find_op(f->cx, names[i]);
  return NULL;
}

static void find_by_threads(void) {
  test_log log;
  shelf s;
  finder finders[THREADS];
  pthread_t threads[THREADS];
  gate start = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, THREADS};
  tenon_context *cx = fixture_context(&log, NULL);
  fill(&s);
  assert_int_equal(tenon_context_add(cx, &s.plugin), TENON_OK);
  assert_int_equal(tenon_context_freeze(cx), TENON_OK);
  for (int i = 0; i < THREADS; ++i) {
    finders[i] = (finder){.cx = cx, .start = &start};
    assert_int_equal(pthread_create(&threads[i], NULL, find_all, &finders[i]),
                     0);
  }
  for (int i = 0; i < THREADS; ++i)
    assert_int_equal(pthread_join(threads[i], NULL), 0);
  for (int i = 0; i < THREADS; ++i) {
    for (int k = 0; k < 3; ++k) {
      assert_non_null(finders[i].found[k]);
      assert_ptr_equal(finders[i].found[k], finders[0].found[k]);
    }
  }
  assert_int_equal(s.rows.asked, 3);
  assert_int_equal(pthread_cond_destroy(&start.open), 0);
  assert_int_equal(pthread_mutex_destroy(&start.lock), 0);
  tenon_context_destroy(cx);
}

static void gives_threads_the_same_operator(void **state) {
  (void)state;
  for (int i = 0; i < ROUNDS; ++i)
    find_by_threads();
}

TEST_GROUP(catalog, cmocka_unit_test(describes_once_and_only_what_is_asked_for),
           cmocka_unit_test(gets_what_others_bring),
           cmocka_unit_test(lists_them_among_the_others),
           cmocka_unit_test(refuses_what_does_not_hold_together),
           cmocka_unit_test(gives_threads_the_same_operator))
