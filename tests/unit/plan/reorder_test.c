// The order of steps: it changes where that saves memory, and nothing else.
#include "harness/model.h"
#include "program/program.h"

#define BIG "before=[0], after=[4032]"
// Two wide values that are summed up: one after the other needs one of them.
#define WIDE(order) \
  "module { %x = input f32[64]\n" order "%y = core::add(%s, %t)\nreturn %y }"
#define PAD(to) "%" to " = core::pad(%x) [" BIG "]\n"
#define SUM(to, of) "%" to " = core::sum(%" of ") [dims=[0]]\n"

static tenon_program *plan(test_model *t, const char *text, uint32_t flags) {
  tenon_compile_options o = {
      .struct_size = sizeof o, .flags = flags, .pipeline = NO_PASSES};
  return model_compile(t, text, &o);
}

static void saves_memory(void **state) {
  static const struct {
    const char *text;
    uint64_t given, peak;
  } rows[] = {
      {WIDE(PAD("a") PAD("b") SUM("s", "a") SUM("t", "b")), 2 * 16384 + 256,
       16384 + 256 + 4},
      {WIDE(PAD("a") SUM("s", "a") PAD("b") SUM("t", "b")), 16384 + 256 + 4,
       16384 + 256 + 4},
  };
  test_model t;
  (void)state;
  model_open(&t, NULL);
  EACH_ROW(i, rows) {
    tenon_program *p = plan(&t, rows[i].text, 0);
    tenon_program *kept = plan(&t, rows[i].text, TENON_COMPILE_KEEP_ORDER);
    const tenon_program_ordering *o = &p->orderings[0];
    CHECK(o->given == rows[i].given && o->peak == rows[i].peak,
          "row %zu: %llu, %llu", i, (unsigned long long)o->given,
          (unsigned long long)o->peak);
    CHECK(o->bound == o->peak && !o->kept, "row %zu", i);
    CHECK(p->arena_bound == o->peak, "row %zu", i);
    CHECK(kept->arena_bound == rows[i].given && kept->orderings[0].kept,
          "row %zu", i);
    tenon_program_destroy(p);
    tenon_program_destroy(kept);
  }
  model_close(&t);
}

// Whatever the order, the same bytes three times.
static void run(test_model *t, const char *text, uint32_t flags,
                tenon_buf *out) {
  test_run r;
  tenon_program *p = plan(t, text, flags);
  run_open(&r, p, 0, NULL);
  run_append(&r, 3, out);
  run_close(&r);
  tenon_program_destroy(p);
}

#define STATE "module { state \"s\" : f32[64] = zeros\n%x = input f32[64]\n"
#define READ(to) "%" to " = core::state_read() [state=\"s\"] : f32[64]\n"
#define WRITE(v) "core::state_write(%" v ") [state=\"s\"]\n"

static void changes_no_result(void **state) {
  static const char *const rows[] = {
      WIDE(PAD("a") PAD("b") SUM("s", "a") SUM("t", "b")),
      // A write between two wide values that read the state.
      STATE READ(
          "o") "%a = core::pad(%o) [" BIG
               "]\n"
               "%n = core::add(%o, %x)\n" WRITE("n")
                   READ("m") "%b = core::pad(%m) [" BIG "]\n" SUM("s", "a")
                       SUM("t", "b") "%y = core::sub(%s, %t)\nreturn %y, %n }",
      // A view of what is changed in place by others.
      "module { %x = input f32[64]\n%e = core::exp(%x)\n"
      "%v = core::slice(%e) [begin=[8], size=[16], step=[1]]\n"
      "%n = core::neg(%e)\n%a = core::pad(%n) [" BIG
      "]\n"
      "%b = core::pad(%v) [before=[0], after=[4080]]\n" SUM("s", "a")
          SUM("t", "b") "%y = core::add(%s, %t)\nreturn %y, %n, %v }",
  };
  test_model t;
  (void)state;
  model_open(&t, NULL);
  EACH_ROW(i, rows) {
    tenon_buf a, b;
    tenon_buf_init(&a, tenon_heap());
    tenon_buf_init(&b, tenon_heap());
    run(&t, rows[i], 0, &a);
    run(&t, rows[i], TENON_COMPILE_KEEP_ORDER, &b);
    CHECK(a.size > 0 && a.size == b.size && !memcmp(a.data, b.data, a.size),
          "row %zu", i);
    tenon_program *p = plan(&t, rows[i], 0);
    CHECK(p->orderings[0].peak < p->orderings[0].given, "row %zu", i);
    tenon_program_destroy(p);
    tenon_buf_deinit(&a);
    tenon_buf_deinit(&b);
  }
  model_close(&t);
}

// --- bounds -----------------------------------------------------------------

// Each node reads what comes before it; branches and joins have a bound too,
// and none may be above what any order needs.
enum { NODES = 8, LINE = 224 };

typedef struct random_graph {
  char line[NODES][LINE];
  uint32_t wide[NODES + 1];
  uint32_t reads[NODES][2];  // values: 0 is the input, node i makes i + 1
} random_graph;

static uint32_t draw(uint32_t *seed, uint32_t below) {
  *seed = *seed * 1664525u + 1013904223u;
  return (*seed >> 8) % below;
}

static void make_node(random_graph *g, uint32_t i, uint32_t *seed) {
  uint32_t a = draw(seed, i + 1), b = draw(seed, i + 1), to = i + 1;
  uint32_t kind = draw(seed, 4), wide = g->wide[a];
  char *line = g->line[i];
  g->reads[i][0] = g->reads[i][1] = a;
  g->wide[to] = wide;
  if (kind == 0) {
    g->wide[to] = wide + 8;
    (void)snprintf(line, LINE,
                   "%%v%u = core::pad(%%v%u) [before=[8], after=[0]]\n", to, a);
  } else if (kind == 1) {
    g->wide[to] = wide + g->wide[b];
    g->reads[i][1] = b;
    (void)snprintf(line, LINE, "%%v%u = core::concat(%%v%u, %%v%u) [axis=0]\n",
                   to, a, b);
  } else if (kind == 2) {
    (void)snprintf(line, LINE,
                   "%%v%u = core::cond(%%go, [%%v%u]) : f32[%u] {\n"
                   "(%%t: f32[%u]) {\n%%e = core::exp(%%t)\nreturn %%e\n}\n"
                   "(%%t: f32[%u]) {\nreturn %%t\n}\n}\n",
                   to, a, wide, wide, wide);
  } else {
    (void)snprintf(line, LINE, "%%v%u = core::neg(%%v%u)\n", to, a);
  }
}

// One of the orders that the nodes' operands allow.
static void write_graph(const random_graph *g, uint32_t *seed,
                        tenon_buf *text) {
  bool is_there[NODES + 1] = {true};
  tenon_buf_clear(text);
  tenon_buf_text(text, "module { %v0 = input f32[8]\n%go = input bool[]\n");
  for (uint32_t left = NODES; left > 0;) {
    uint32_t i = draw(seed, NODES);
    if (is_there[i + 1] || !is_there[g->reads[i][0]] ||
        !is_there[g->reads[i][1]])
      continue;
    tenon_buf_text(text, g->line[i]);
    is_there[i + 1] = true;
    --left;
  }
  tenon_buf_format(text, "return %%v%u, %%v%u }", (unsigned)NODES,
                   (unsigned)NODES - 1);
}

static void bounds_every_order(void **state) {
  enum { GRAPHS = 40, ORDERS = 6 };
  size_t n_rough = 0, n_reached = 0;
  tenon_buf text;
  test_model t;
  (void)state;
  model_open(&t, NULL);
  tenon_buf_init(&text, tenon_heap());
  for (uint32_t number = 0; number < GRAPHS; ++number) {
    random_graph g = {.wide = {8}};
    uint32_t seed = number * 7919 + 3;
    uint64_t bound = 0, least = UINT64_MAX;
    for (uint32_t i = 0; i < NODES; ++i)
      make_node(&g, i, &seed);
    for (int k = 0; k < ORDERS; ++k) {
      write_graph(&g, &seed, &text);
      tenon_program *p =
          plan(&t, text.data, k % 2 ? 0u : TENON_COMPILE_KEEP_ORDER);
      const tenon_program_ordering *o = &p->orderings[0];
      CHECK(o->bound > 0 && o->bound <= o->peak, "%llu of %llu\n%s",
            (unsigned long long)o->bound, (unsigned long long)o->peak,
            text.data);
      if (o->bound > bound) bound = o->bound;
      if (o->peak < least) least = o->peak;
      n_rough += strstr(text.data, "cond") && k == 0;
      n_reached += o->bound == o->peak;
      tenon_program_destroy(p);
    }
    CHECK(bound <= least, "bound %llu, an order needs %llu\n%s",
          (unsigned long long)bound, (unsigned long long)least, text.data);
  }
  CHECK(n_rough > GRAPHS / 2 && n_reached > 5, "%zu, %zu", n_rough, n_reached);
  tenon_buf_deinit(&text);
  model_close(&t);
}

TEST_GROUP(reorder, cmocka_unit_test(saves_memory),
           cmocka_unit_test(bounds_every_order),
           cmocka_unit_test(changes_no_result))
