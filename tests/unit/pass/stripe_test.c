// Stripes: the same bits as the whole, of chains made by chance; a smaller
// arena where that is possible, and nothing where it is not.
#include "pass/trade/stripe.h"
#include "harness/model.h"
#include "ir/graph.h"
#include "program/program.h"

// --- models by chance --------------------------------------------------------

typedef struct image {
  int h, w, c;
} image;

typedef struct maker {
  uint32_t seed;
  bool is_quant;
  tenon_buf text;
  image images[16];  // of values v0, v1, ...
  int n;
} maker;

static int draw(maker *k, int low, int high) {
  k->seed = k->seed * 1664525u + 1013904223u;
  return low + (int)((k->seed >> 8) % (uint32_t)(high - low + 1));
}

static void put_type(maker *k, const image *i) {
  tenon_buf_format(&k->text, " : %s[1,%d,%d,%d]%s", k->is_quant ? "s8" : "f32",
                   i->h, i->w, i->c, k->is_quant ? "{0.5:3}" : "");
}

static void put_weights(maker *k, const char *name, int n, int kh, int kw,
                        int c) {
  tenon_buf_format(&k->text, "%%%s%d = const %s[%d,%d,%d,%d]%s {", name, k->n,
                   k->is_quant ? "s8" : "f32", n, kh, kw, c,
                   k->is_quant ? "{0.125:0}" : "");
  for (int i = 0; i < n * kh * kw * c; ++i)
    tenon_buf_format(&k->text, "%s%d", i ? "," : "", draw(k, -9, 9));
  tenon_buf_text(&k->text, "}\n");
}

// One axis of a window; false where nothing would be left.
typedef struct slide {
  int taps, step, apart, before, after, out;
} slide;

static bool draw_slide(maker *k, int size, bool dilates, slide *s) {
  s->taps = draw(k, 1, 3);
  s->step = draw(k, 1, 2);
  s->apart = dilates ? draw(k, 1, 2) : 1;
  int reach = (s->taps - 1) * s->apart + 1;
  s->before = draw(k, 0, s->taps - 1);
  s->after = draw(k, 0, s->taps - 1);
  s->out = (size + s->before + s->after - reach) / s->step + 1;
  return size + s->before + s->after >= reach && s->out >= 1;
}

static bool add_window(maker *k, int kind) {
  image x = k->images[k->n - 1], y = x;
  slide down, right;
  bool is_pool = kind >= 2;
  if (!draw_slide(k, x.h, !is_pool, &down) ||
      !draw_slide(k, x.w, !is_pool, &right) || down.out < 2)
    return false;
  y.h = down.out;
  y.w = right.out;
  if (kind == 0) y.c = draw(k, 1, 3);
  if (kind == 0) put_weights(k, "w", y.c, down.taps, right.taps, x.c);
  if (kind == 1) put_weights(k, "w", 1, down.taps, right.taps, y.c);
  static const char *const ops[] = {"conv", "depthwise_conv", "avg_pool",
                                    "max_pool"};
  tenon_buf_format(&k->text, "%%v%d = core::%s(%%v%d", k->n, ops[kind],
                   k->n - 1);
  if (is_pool)
    tenon_buf_format(&k->text, ") [window=[%d,%d]", down.taps, right.taps);
  else
    tenon_buf_format(&k->text, ", %%w%d) [dilation=[%d,%d]", k->n, down.apart,
                     right.apart);
  tenon_buf_format(&k->text, ", stride=[%d,%d], pad=[%d,%d,%d,%d]]", down.step,
                   right.step, down.before, right.before, down.after,
                   right.after);
  k->images[k->n] = y;
  put_type(k, &y);
  return true;
}

// Two images of one size: added, or side by side.
static bool add_pair(maker *k, bool is_sum) {
  image y = k->images[k->n - 1];
  for (int i = k->n - 1; i-- > 0;) {
    const image *x = &k->images[i];
    if (x->h != y.h || x->w != y.w || (is_sum && x->c != y.c)) continue;
    if (is_sum)
      tenon_buf_format(&k->text, "%%v%d = core::add(%%v%d, %%v%d)", k->n, i,
                       k->n - 1);
    else
      tenon_buf_format(&k->text,
                       "%%v%d = core::concat([%%v%d, %%v%d]) [axis=3]", k->n, i,
                       k->n - 1);
    if (!is_sum) y.c += x->c;
    k->images[k->n] = y;
    put_type(k, &y);
    return true;
  }
  return false;
}

static bool add_other(maker *k, bool is_pad) {
  image y = k->images[k->n - 1];
  int above = draw(k, 0, 2), below = draw(k, 0, 1), left = draw(k, 0, 1);
  if (is_pad)
    tenon_buf_format(&k->text,
                     "%%v%d = core::pad(%%v%d) [before=[0,%d,%d,0], "
                     "after=[0,%d,0,0]]",
                     k->n, k->n - 1, above, left, below);
  else
    tenon_buf_format(&k->text, "%%v%d = core::clamp(%%v%d) [lo=-3.0, hi=5.5]",
                     k->n, k->n - 1);
  if (is_pad) {
    y.h += above + below;
    y.w += left;
  }
  k->images[k->n] = y;
  put_type(k, &y);
  return true;
}

static void make_model(maker *k) {
  int layers = draw(k, 1, 8);
  k->n = 1;
  k->images[0] = (image){draw(k, 3, 17), draw(k, 1, 6), draw(k, 1, 3)};
  tenon_buf_format(&k->text, "module { %%v0 = input %s[1,%d,%d,%d]%s\n",
                   k->is_quant ? "s8" : "f32", k->images[0].h, k->images[0].w,
                   k->images[0].c, k->is_quant ? "{0.5:3}" : "");
  while (layers-- > 0) {
    int kind = draw(k, 0, 9);
    bool done = kind < 6   ? add_window(k, kind < 4 ? kind : kind - 4)
                : kind < 8 ? add_pair(k, kind == 6)
                           : add_other(k, kind == 8);
    if (!done) continue;
    tenon_buf_text(&k->text, "\n");
    ++k->n;
  }
  tenon_buf_format(&k->text, "return %%v%d }", k->n - 1);
}

// --- whole and in stripes ----------------------------------------------------

static uint64_t run_module(tenon_module *m, test_model *t, tenon_buf *out) {
  tenon_compile_options o = {.struct_size = sizeof o, .pipeline = NO_PASSES};
  tenon_program_stats stats = {.struct_size = sizeof stats};
  const tenon_entry entry = {NULL, m, NULL};
  tenon_program *p = NULL;
  test_run r;
  tenon_status status = tenon_program_compile(&entry, 1, &o, &p);
  CHECK(status == TENON_OK, "%s", t->log.text);
  tenon_program_measure(p, &stats);
  run_open(&r, p, 0, NULL);
  run_append(&r, 2, out);
  run_close(&r);
  tenon_program_destroy(p);
  return stats.macs;
}

// Stripes of any region; false where the range is none.
static bool cut(maker *k, tenon_module *m, bool recomputes) {
  tenon_node *nodes[32], *from = NULL, *to = NULL;
  uint32_t n = 0;
  int64_t height = 0;
  bool fits = false;
  tenon_graph *g = m->entries.data[0].graph;
  for (tenon_node *node = g->first; node; node = node->next)
    nodes[n++] = node;
  if (n == 0) return false;
  uint32_t first = (uint32_t)draw(k, 0, (int)n - 1);
  uint32_t last = (uint32_t)draw(k, (int)first, (int)n - 1);
  if (draw(k, 0, 2)) first = 0;
  if (draw(k, 0, 2)) last = n - 1;
  if (!tenon_stripe_is_region(nodes, first, last, &height)) return false;
  tenon_stripe s = {first, last, draw(k, 1, (int)height - 1), recomputes};
  assert_int_equal(tenon_stripe_cut(nodes, &s, &fits, &from, &to), TENON_OK);
  if (fits) assert_non_null(from);
  return fits;
}

static void changes_no_bit(void **state) {
  test_model t;
  int n_cut = 0;
  tenon_buf whole, striped;
  (void)state;
  model_open(&t, NULL);
  tenon_buf_init(&whole, tenon_heap());
  tenon_buf_init(&striped, tenon_heap());
  for (uint32_t seed = 1; seed <= 300; ++seed) {
    maker k = {.seed = seed * 2654435761u, .is_quant = seed % 3 == 0};
    tenon_buf_init(&k.text, tenon_heap());
    make_model(&k);
    tenon_module *m = model_read(&t, k.text.data);
    bool recomputes = seed % 2 == 0;
    if (cut(&k, m, recomputes)) {
      tenon_module *w = model_read(&t, k.text.data);
      tenon_buf_clear(&whole);
      tenon_buf_clear(&striped);
      uint64_t macs = run_module(w, &t, &whole);
      uint64_t with = run_module(m, &t, &striped);
      CHECK(whole.size == striped.size &&
                memcmp(whole.data, striped.data, whole.size) == 0,
            "seed %u, in stripes of %s", seed, k.text.data);
      // Nothing is computed twice, but where that was asked for.
      CHECK(recomputes || with <= macs, "seed %u: %llu MACs, then %llu", seed,
            (unsigned long long)macs, (unsigned long long)with);
      ++n_cut;
      tenon_module_destroy(w);
    }
    tenon_module_destroy(m);
    tenon_buf_deinit(&k.text);
  }
  CHECK(n_cut > 150, "only %d models were cut", n_cut);
  tenon_buf_deinit(&whole);
  tenon_buf_deinit(&striped);
  model_close(&t);
}

// --- the pass ----------------------------------------------------------------

// Two large images between small ones.
#define TALL                                                                \
  "module { %x = input f32[1,32,8,1]\n"                                     \
  "%w = const f32[8,1,1,1] {1,2,3,4,5,6,7,8}\n"                             \
  "%v = const f32[1,3,3,8] {" EIGHT "," EIGHT "," EIGHT "," EIGHT "," EIGHT \
  "," EIGHT "," EIGHT "," EIGHT "," EIGHT                                   \
  "}\n"                                                                     \
  "%a = core::conv(%x, %w)\n"                                               \
  "%b = core::depthwise_conv(%a, %v) [pad=[1,1,1,1]]\n"                     \
  "%y = core::max_pool(%b) [window=[4,8], stride=[4,8]]\nreturn %y }"
#define EIGHT "1,-2,3,-4,5,-6,7,-8"

typedef struct sizes {
  uint64_t arena, macs;
  const char *remarks;
} sizes;

static void plan_with(test_model *t, const char *pipeline, tenon_buf *bits,
                      sizes *out, tenon_program **p) {
  tenon_compile_options o = {.struct_size = sizeof o,
                             .flags = TENON_COMPILE_NO_OVERLAP,
                             .pipeline = pipeline};
  tenon_program_stats stats = {.struct_size = sizeof stats};
  test_run r;
  *p = model_compile(t, TALL, &o);
  tenon_program_measure(*p, &stats);
  run_open(&r, *p, 0, NULL);
  run_append(&r, 2, bits);
  run_close(&r);
  *out = (sizes){stats.arena, stats.macs, (*p)->remarks};
}

static void makes_the_arena_smaller(void **state) {
  static const char *const pipelines[] = {
      NO_PASSES,
      NO_PASSES ",stripe",
      NO_PASSES ",stripe[halo=recompute macs=500]",
      NO_PASSES ",stripe[target=6k]",
      NO_PASSES ",stripe[parts=2]",
      NO_PASSES ",stripe[halo=recompute rows=2 macs=0]",
  };
  enum { N = sizeof pipelines / sizeof *pipelines };
  sizes s[N];
  tenon_buf bits[N];
  tenon_program *p[N];
  test_model t;
  (void)state;
  model_open(&t, NULL);
  for (int i = 0; i < N; ++i) {
    tenon_buf_init(&bits[i], tenon_heap());
    plan_with(&t, pipelines[i], &bits[i], &s[i], &p[i]);
    assert_int_equal(bits[i].size, bits[0].size);
    assert_memory_equal(bits[i].data, bits[0].data, bits[0].size);
  }
  assert_int_equal(s[0].arena, 2 * 32 * 8 * 8 * 4);
  assert_string_equal(s[0].remarks, "");
  assert_true(s[1].arena * 3 < s[0].arena);
  assert_int_equal(s[1].macs, s[0].macs);
  assert_non_null(strstr(s[1].remarks, "stripes    8 of 1 rows"));
  assert_true(s[2].arena < s[0].arena);
  assert_true(s[2].macs > s[0].macs);
  assert_true(s[3].arena <= 6 * 1024 && s[3].arena >= s[1].arena);
  assert_non_null(strstr(s[4].remarks, "stripes    2 of 4 rows"));
  // Costs are not taken that are not allowed.
  assert_int_equal(s[5].macs, s[0].macs);
  assert_true(s[5].arena > s[2].arena);
  for (int i = 0; i < N; ++i) {
    tenon_program_destroy(p[i]);
    tenon_buf_deinit(&bits[i]);
  }
  model_close(&t);
}

static void refuses_options_it_lacks(void **state) {
  static const struct {
    const char *pipeline, *text;
  } rows[] = {
      {"stripe[row=2]", "has no option 'row'; did you mean 'rows'?"},
      {"stripe[rows]", "has no option 'rows'"},
      {"stripe[rows=two]", "rows=two; expected a number"},
      {"stripe[halo=none]", "expected 'keep' or 'recompute'"},
      {"stripe[rows=2 parts=2]", "give one"},
  };
  test_model t;
  (void)state;
  model_open(&t, NULL);
  EACH_ROW(i, rows) {
    tenon_module *m = model_read(&t, TALL);
    test_log_clear(&t.log);
    assert_int_equal(tenon_module_transform(m, rows[i].pipeline, NULL, NULL),
                     TENON_BAD_ARGUMENT);
    CHECK(strstr(t.log.text, rows[i].text), "row %zu: %s", i, t.log.text);
    tenon_module_destroy(m);
  }
  model_close(&t);
}

// Where rows are not enough to know a row, nothing is cut.
static void leaves_alone_what_needs_all_of_it(void **state) {
  static const char *const models[] = {
      // Two images, a size of each; means of all rows; one row.
      "module { %x = input f32[2,8,4,1]\n%y = core::neg(%x)\nreturn %y }",
      "module { %x = input f32[1,8,4,1]\n"
      "%y = core::mean(%x) [dims=[1,2]]\nreturn %y }",
      "module { %x = input f32[1,8,4,1]\n"
      "%y = core::max_pool(%x) [window=[8,4]]\nreturn %y }",
      // Scaled by the largest of all rows in the run.
      "module { %x = input f32[1,8,4,2]\n"
      "%w = const s8[2,1,1,2]{0.5:0} {1,2,3,4}\n"
      "%y = core::conv(%x, %w)\nreturn %y }",
      // Side by side as rows.
      "module { %x = input f32[1,8,4,1]\n"
      "%y = core::concat([%x, %x]) [axis=1]\nreturn %y }",
  };
  test_model t;
  (void)state;
  model_open(&t, NULL);
  EACH_ROW(i, models) {
    tenon_module *m = model_read(&t, models[i]);
    tenon_node *node = m->entries.data[0].graph->first;
    int64_t height = 0;
    CHECK(!tenon_stripe_is_region(&node, 0, 0, &height), "row %zu", i);
    tenon_module_destroy(m);
  }
  model_close(&t);
}

static void says_what_it_cut(const tenon_program *p) {
  CHECK(strstr(p->remarks, "stripes"), "nothing was cut");
}

static void survives_lack_of_memory(void **state) {
  static char text[] =
      "module { %x = input f32[1,4,4,1]\n%w = const f32[4,1,1,1] {2,1,3,4}\n"
      "%a = core::conv(%x, %w)\n%y = core::max_pool(%a) [window=[2,4], "
      "pad=[1,0,0,0]]\nreturn %y }";
  (void)state;
  model_sweep s = {.text = text,
                   .pipeline = NO_PASSES ",stripe[rows=2]",
                   .look = says_what_it_cut};
  test_sweep(model_compiles, &s);
}

TEST_GROUP(stripe, cmocka_unit_test(survives_lack_of_memory),
           cmocka_unit_test(changes_no_bit),
           cmocka_unit_test(makes_the_arena_smaller),
           cmocka_unit_test(refuses_options_it_lacks),
           cmocka_unit_test(leaves_alone_what_needs_all_of_it))
