// What cannot be emitted is said, all of it, and nothing is written.
#include "build.h"

#define ONE(op) \
  "module {\n  %x = input f32[2,2]\n  %y = " op "\n  return %y\n}\n"

static void says_why(void **state) {
  static const struct {
    const char *text;
    tenon_emit_options options;
    tenon_status status;
    const char *id, *part;
  } rows[] = {
      {ONE("test::bare(%x) : f32[2,2]"),
       {.flags = 0},
       TENON_UNSUPPORTED,
       "emit-no-source",
       "kernel 'test_bare_f32' of plugin 'test' (linked in), in 1 step of "
       "'test::bare', has no text"},
      {ONE("test::user(%x) : f32[2,2]"),
       {.flags = 0},
       TENON_UNSUPPORTED,
       "emit-user",
       "kernel 'test_user_f32'"},
      {ONE("test::lost(%x) : f32[2,2]"),
       {.flags = 0},
       TENON_BAD_PLUGIN,
       "emit-include",
       "'test/lost_source.c' of plugin 'test' includes "
       "\"lost.h\""},
      {ONE("test::hollow(%x) : f32[2,2]"),
       {.flags = 0},
       TENON_BAD_PLUGIN,
       "emit-no-source",
       "does not define its kernel 'test_hollow_f32'"},
      {ONE("test::picky(%x, none) : f32[2,2]"),
       {.flags = 0},
       TENON_BAD_PLUGIN,
       "emit-template",
       "line 2: '$scale(in0)' of an operand that is not"},
      {ONE("test::written(%x, none) [most=-1] : f32[2,2]"),
       {.flags = 0},
       TENON_UNSUPPORTED,
       "emit-kernel",
       "'test_written_f32'"},
      {ONE("test::scale(%x, none) [steps=[1]] : f32[2,2]"),
       {.flags = 0},
       TENON_BAD_PLUGIN,
       "emit-template",
       "line 17: '$attr(steps, 1)' of a "
       "list of 1"},
      {ONE("test::scale(%x, none) [words=[\"a\"]] : f32[2,2]"),
       {.flags = 0},
       TENON_BAD_PLUGIN,
       "emit-template",
       "line 6: '$attr(words, 1)' of a "
       "list of 1"},
      {ONE("test::scale(%x, none) [most=5000000000] : f32[2,2]"),
       {.flags = 0},
       TENON_BAD_PLUGIN,
       "emit-template",
       "more than 32 bits"},
      {ONE("test::pair(%x) [by=1] : f32[2,2]"),
       {.prefix = "a b"},
       TENON_BAD_ARGUMENT,
       "emit-prefix",
       "'a b' is not a C identifier"},
      {ONE("test::pair(%x) [by=1] : f32[2,2]"),
       {.prefix = "exp"},
       TENON_BAD_ARGUMENT,
       "emit-prefix",
       "a name of C or of its library"},
      {ONE("test::pair(%x) [by=1] : f32[2,2]"),
       {.prefix = "tenon_x"},
       TENON_BAD_ARGUMENT,
       "emit-prefix",
       "begins with 'tenon'"},
      {ONE("test::pair(%x) [by=1] : f32[2,2]"),
       {.package = "cmakes"},
       TENON_BAD_ARGUMENT,
       "emit-package",
       "no package 'cmakes'; did you mean 'cmake'"},
      {ONE("test::pair(%x) [by=1] : f32[2,2]"),
       {.flags = 1u << 31},
       TENON_BAD_ARGUMENT,
       "emit-options",
       "0x80000000"},
      {ONE("test::pair(%x) [by=1] : f32[2,2]"),
       {.n_vectors = 1},
       TENON_BAD_ARGUMENT,
       "emit-vectors",
       "the list is null"},
  };
  (void)state;
  EACH_ROW(i, rows) {
    built b;
    build_program(&b, rows[i].text);
    tenon_emit_options o = rows[i].options;
    o.struct_size = sizeof o;
    test_log_clear(&b.log);
    tenon_status status = build_emit(&b, b.program, &o);
    CHECK(status == rows[i].status, "row %zu: %d\n%s", i, status, b.log.text);
    CHECK_LOG(&b.log, rows[i].id, rows[i].part, i);
    CHECK(b.is_empty, "row %zu", i);
    build_free(&b);
  }
}

static void says_everything_at_once(void **state) {
  built b;
  (void)state;
  build_program(&b,
                "module {\n"
                "  %x = input f32[2,2]\n"
                "  %a = test::bare(%x) : f32[2,2] @\"op 7\"\n"
                "  %b = test::user(%a) : f32[2,2]\n"
                "  %c = test::bare(%b) : f32[2,2]\n"
                "  return %c\n"
                "}\n");
  test_log_clear(&b.log);
  assert_int_equal(build_emit(&b, b.program, NULL), TENON_UNSUPPORTED);
  assert_int_equal(b.log.errors, 2);
  CHECK_LOG(&b.log, "emit-no-source", "in 2 steps", 0);
  CHECK_LOG(&b.log, "emit-no-source", "op 7", 0);
  CHECK_LOG(&b.log, "emit-user", "test_user_f32", 0);
  build_free(&b);
}

static void links_kernels_when_told_to(void **state) {
  static const tenon_emit_options o = {
      .struct_size = sizeof o, .flags = TENON_EMIT_EXTERN, .prefix = "kws"};
  built b;
  (void)state;
  build_program(&b, ONE("test::bare(%x) : f32[2,2]"));
  assert_int_equal(build_emit(&b, b.program, &o), TENON_OK);
  CHECK(strstr(build_text(&b, "kws.c"),
               "extern tenon_status test_bare_f32(const tenon_call *c);"),
        "not declared");
  build_compile(&b, "cc -fsyntax-only " BUILD_STRICT, "kws.c");
  build_free(&b);
}

static void refuses_vectors_that_do_not_fit(void **state) {
  static const int32_t dims[] = {2, 2};
  static const float data[4];
  static const tenon_tensor good = {.data = (void *)(uintptr_t)data,
                                    .dims = dims,
                                    .dtype = TENON_F32,
                                    .rank = 2};
  tenon_tensor bad = good, absent = good;
  bad.dtype = TENON_S32;
  absent.data = NULL;
  const struct {
    tenon_vectors v;
    const char *part;
  } rows[] = {
      {{1, &good, 1, &good, 1, 0, 0}, "no such entry point"},
      {{-1, &good, 1, &good, 1, 0, 0}, "no such entry point"},
      {{0, &good, 0, &good, 1, 0, 0}, "another number of inputs"},
      {{0, &bad, 1, &good, 1, 0, 0}, "element type or shape"},
      {{0, &good, 1, &bad, 1, 0, 0}, "element type or shape"},
      {{0, &absent, 1, &good, 1, 0, 0}, "no data"},
  };
  (void)state;
  EACH_ROW(i, rows) {
    built b;
    build_program(&b, ONE("test::pair(%x) [by=1] : f32[2,2]"));
    tenon_emit_options o = {
        .struct_size = sizeof o, .vectors = &rows[i].v, .n_vectors = 1};
    test_log_clear(&b.log);
    tenon_status status = build_emit(&b, b.program, &o);
    CHECK(status == TENON_BAD_ARGUMENT, "row %zu", i);
    CHECK_LOG(&b.log, "emit-vectors", rows[i].part, i);
    CHECK(b.is_empty, "row %zu", i);
    build_free(&b);
  }
}

// An older caller's options are shorter, a newer one's longer.
static void admits_options_of_other_sizes(void **state) {
  struct {
    tenon_emit_options o;
    void *more;
  } longer = {{.struct_size = sizeof longer, .prefix = "kws"}, NULL};
  tenon_emit_options shorter = {
      .struct_size = offsetof(tenon_emit_options, package), .prefix = "kws"};
  built b;
  (void)state;
  build_program(&b, ONE("test::pair(%x) [by=1] : f32[2,2]"));
  assert_int_equal(build_emit(&b, b.program, &shorter), TENON_OK);
  assert_int_equal(build_emit(&b, b.program, &longer.o), TENON_OK);
  longer.more = &b;
  assert_int_equal(build_emit(&b, b.program, &longer.o), TENON_BAD_ARGUMENT);
  assert_true(b.is_empty);
  build_free(&b);
}

// --- memory and writers -----------------------------------------------------

static tenon_status drop(void *self, const char *file, const char *text,
                         size_t size) {
  int *left = (int *)self;
  (void)file, (void)text, (void)size;
  return left && (*left)-- == 0 ? TENON_IO : TENON_OK;
}

static bool sweep(const tenon_allocator *allocator, void *self) {
  const built *b = (const built *)self;
  struct tenon_program p = *b->program;
  tenon_emit_options o = {.struct_size = sizeof o, .flags = TENON_EMIT_DRIVER};
  p.arena.allocator = *allocator;
  return tenon_program_emit(&p, &o, drop, NULL) == TENON_OK;
}

static const char everything[] =
    "module {\n"
    "  state \"s\" : f32[2,2] = {1, 2, 3, 4}\n"
    "  %x = input f32[2,2]\n"
    "  %w = const f32[2] {1, 2}\n"
    "  %a = test::pair(%x) [by=1] : f32[2,2]\n"
    "  %b = test::scale(%a, none) : f32[2,2]\n"
    "  %c = test::rows(%b, %w) : f32[2,2]\n"
    "  %d = core::state_read() [state=\"s\"] : f32[2,2]\n"
    "  %e = test::sum([%c], %d, []) : f32[2,2]\n"
    "  core::state_write(%e) [state=\"s\"]\n"
    "  return %e\n"
    "}\n";

static void survives_without_memory(void **state) {
  built b;
  (void)state;
  build_program(&b, everything);
  test_sweep(sweep, &b);
  build_free(&b);
}

static void stops_when_the_writer_fails(void **state) {
  built b;
  (void)state;
  build_program(&b, everything);
  for (int n = 0, done = 0; !done; ++n) {
    int left = n;
    tenon_status status = tenon_program_emit(b.program, NULL, drop, &left);
    done = status == TENON_OK;
    assert_true(done || status == TENON_IO);
    assert_true(n < 100);
  }
  build_free(&b);
}

TEST_GROUP(refusal, cmocka_unit_test(says_why),
           cmocka_unit_test(says_everything_at_once),
           cmocka_unit_test(links_kernels_when_told_to),
           cmocka_unit_test(refuses_vectors_that_do_not_fit),
           cmocka_unit_test(admits_options_of_other_sizes),
           cmocka_unit_test(survives_without_memory),
           cmocka_unit_test(stops_when_the_writer_fails))
