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

TEST_GROUP(reorder, cmocka_unit_test(saves_memory),
           cmocka_unit_test(changes_no_result))
