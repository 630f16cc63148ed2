// What is printed of a kernel's text, and what it is found to read.
#include "emit/text/text_parts.h"
#include "harness/harness.h"
#include "program/program.h"

typedef struct taken {
  struct tenon_program p;
  tenon_emission e;
  tenon_buf out;
} taken;

static void take(taken *t, const char *text) {
  memset(t, 0, sizeof *t);
  t->e.p = &t->p;
  t->e.allocator = tenon_heap();
  tenon_arena_init(&t->e.arena, t->e.allocator);
  tenon_buf_init(&t->e.texts, t->e.allocator);
  tenon_buf_init(&t->out, t->e.allocator);
  assert_int_equal(tenon_emit_open_parts(&t->e), TENON_OK);
  tenon_buf_text(&t->e.texts, text);
  tenon_emit_piece piece = {0, 0, t->e.texts.size, "a.c", "a", false};
  assert_true(tenon_vec_push(&t->e.parts->pieces, piece));
  assert_true(tenon_emit_take_apart(&t->e));
}

static void give(taken *t) {
  tenon_emit_close_parts(&t->e);
  tenon_buf_deinit(&t->e.texts);
  tenon_buf_deinit(&t->out);
  tenon_arena_deinit(&t->e.arena);
}

static void prints_what_is_led_to(void **state) {
  (void)state;
  static const struct {
    const char *text, *start, *printed;
  } rows[] = {
      // Functions, their types and macros, comments in front of them.
      {"static int b(void) { return 1; }\n"
       "// Of a.\n"
       "static int a(void) { return c(); }\n"
       "static int c(void) { return 2; }\n",
       "a()",
       "// Of a.\n"
       "static int a(void) { return c(); }\n"
       "static int c(void) { return 2; }\n"},
      {"typedef struct s {\n  int b;\n} s;\n"
       "typedef struct t {\n  int a;\n} t;\n"
       "enum { P, Q = 2 };\n"
       "static const int list[] = {1, 2};\n"
       "static int f(const t *x) { return x->a + Q + list[0]; }\n",
       "f",
       "typedef struct t {\n  int a;\n} t;\n"
       "enum { P, Q = 2 };\n"
       "static const int list[] = {1, 2};\n"
       "static int f(const t *x) { return x->a + Q + list[0]; }\n"},
      {"#define ONE 1\n#define TWO \\\n  2\n#undef ONE\n"
       "static int f(void) { return TWO; }\n",
       "f", "#define TWO \\\n  2\nstatic int f(void) { return TWO; }\n"},
      // Words in comments and texts are none.
      {"static int a(void) { return 1; }\n"
       "static const char *f(void) { return \"a\"; /* a */ }  // a\n",
       "f", "static const char *f(void) { return \"a\"; /* a */ }  // a\n"},
      // Conditionals go with what stands in them, whole.
      {"#ifdef X\n#define A 1\n#else\n#define A 2\n#endif\n"
       "#ifdef Y\n#define B 1\n#else\n#define B 2\n#endif\n"
       "#define X\n"
       "static int f(void) { return A; }\n",
       "f",
       "#ifdef X\n#define A 1\n#else\n#define A 2\n#endif\n"
       "#define X\n"
       "static int f(void) { return A; }\n"},
      {"#if defined(X)\n#if Y\nstatic int f(void) { return 1; }\n#endif\n"
       "static int g(void) { return 1; }\n#endif\n",
       "f",
       "#if defined(X)\n#if Y\nstatic int f(void) { return 1; }\n#endif\n"
       "#endif\n"},
      // Names that macros put together.
      {"static int add_a(void) { return 1; }\n"
       "static int sub_a(void) { return 1; }\n"
       "#define CALL(t) add_##t()\n"
       "static int f(void) { return CALL(a); }\n",
       "f",
       "static int add_a(void) { return 1; }\n"
       "#define CALL(t) add_##t()\n"
       "static int f(void) { return CALL(a); }\n"},
      {"#define MAKE(name) static int name##_x(void) { return 1; }\n"
       "MAKE(a)\n"
       "static int f(void) { return a_x(); }\n",
       "f",
       "#define MAKE(name) static int name##_x(void) { return 1; }\n"
       "MAKE(a)\n"
       "static int f(void) { return a_x(); }\n"},
      {"#define KERNEL(name) static int name(int c)\n"
       "KERNEL(a) { return c; }\nKERNEL(b) { return c; }\n",
       "a",
       "#define KERNEL(name) static int name(int c)\n"
       "KERNEL(a) { return c; }\n"},
      // Rows without a semicolon end where a conditional begins.
      {"#define MAKE(name) static int name##_x(void) { return 1; }\n"
       "MAKE(a)\n"
       "#if A\nstatic int f(void) { return a_x(); }\n#endif\n"
       "#if B\nstatic int g(void) { return 1; }\n#endif\n",
       "f",
       "#define MAKE(name) static int name##_x(void) { return 1; }\n"
       "MAKE(a)\n"
       "#if A\nstatic int f(void) { return a_x(); }\n#endif\n"},
      // What is not understood stays.
      {"#pragma GCC optimize(\"O3\")\n#include <arm_mve.h>\n"
       "static int b(void) { return 1; }\n"
       "_Static_assert(sizeof(int) == 4, \"\");\n"
       "static int f(void) {\n#if A\n  if (1) {\n#else\n  if (0) {\n#endif\n"
       "  }\n  return 1;\n}\n",
       "f",
       "#pragma GCC optimize(\"O3\")\n#include <arm_mve.h>\n"
       "_Static_assert(sizeof(int) == 4, \"\");\n"
       "static int f(void) {\n#if A\n  if (1) {\n#else\n  if (0) {\n#endif\n"
       "  }\n  return 1;\n}\n"},
      {"__attribute__((noinline)) static int f(void) { return 1; }\n"
       "struct __attribute__((packed)) s { char a; };\n"
       "static int g(struct s *x) { return x->a; }\n",
       "g",
       "struct __attribute__((packed)) s { char a; };\n"
       "static int g(struct s *x) { return x->a; }\n"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    taken t;
    tenon_buf start;
    take(&t, rows[i].text);
    tenon_buf_init(&start, t.e.allocator);
    tenon_buf_text(&start, rows[i].start);
    const tenon_buf *const texts[] = {&start};
    assert_true(tenon_emit_mark(&t.e, texts, 1));
    tenon_emit_parts(&t.e, &t.out, false);
    assert_non_null(t.out.data);
    assert_string_equal(t.out.data, rows[i].printed);
    tenon_buf_deinit(&start);
    give(&t);
  }
}

static void finds_what_a_kernel_reads(void **state) {
  (void)state;
  enum { ALL = (int)TENON_EMIT_ALL_OPERANDS };
  static const struct {
    const char *text;
    uint32_t words;  // of those asked for below
    int in, out;
  } rows[] = {
      {"int k(const tenon_call *c) { return f(c->in[0].data, c->out[0].data); "
       "}",
       0, 1, 1},
      {"int k(const tenon_call *c) { return *c->in[2].dims; }", TENON_WORD_dims,
       3, 0},
      {"static float g(const tenon_tensor *x) { return *x->quant->scale; }\n"
       "int k(const tenon_call *c) { return (int)g(&c->in[1]); }",
       TENON_WORD_quant | TENON_WORD_REAL, ALL, 0},
      {"#define LAST c->out[1]\n"
       "int k(const tenon_call *c) { return c->in[1].rank + LAST.rank; }",
       TENON_WORD_rank, 2, ALL},
      // Another kernel's, in a comment, in a type.
      {"int other(const tenon_call *c) { return c->in[0].quant->axis; }\n"
       "typedef struct p {\n  float scale;\n  int quant;\n} p;\n"
       "int k(const tenon_call *c) { return ((const p *)c->packed)->x; } // "
       "quant",
       TENON_WORD_packed, 0, 0},
      // What a macro makes of a type is not that type.
      {"int k(const tenon_call *c) { const int8_t *x = c->in[0].data; "
       "return *x; }\n"
       "#define KERNEL(name, T) \\\n"
       "  int name(const tenon_call *c) { return (T)*c->in[3].dims; }\n"
       "KERNEL(other, int8_t)\n",
       0, 1, 0},
      {"int k(const tenon_call *c) { return c->in[c->n_in - 1].rank; }",
       TENON_WORD_rank | TENON_WORD_n_in, ALL, 0},
      {"int k(const tenon_call *c) { const T *in = c->in; return in[0].x; }", 0,
       ALL, 0},
      {"#define OF(list, i) c->list[i]\n"
       "int k(const tenon_call *c) { return OF(in, 1).rank; }",
       TENON_WORD_rank, ALL, 0},
      {"int k(const tenon_call *c) { const int8_t *in = c->in[0].data;"
       " return *in + sqrtf(in[3]) + log; }",
       TENON_WORD_REAL | TENON_WORD_MATH | TENON_WORD_FUNCTION, 4, 0},
      // A function is called by the macro that it is given.
      {"#define KERNEL(name, f) int name(int x) { return f(x); }\n"
       "KERNEL(k, fabsf)\n",
       TENON_WORD_REAL | TENON_WORD_MATH | TENON_WORD_FUNCTION, 0, 0},
      {"int k_measure(const tenon_call *c) { return c->in[1].rank; }\n"
       "int k(const tenon_call *c) { return c->in[0].x; }",
       TENON_WORD_rank, 2, 0},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    taken t;
    tenon_emit_reads reads;
    take(&t, rows[i].text);
    assert_true(tenon_emit_reads_of(&t.e, "k", &reads));
    assert_int_equal(reads.words, rows[i].words);
    assert_int_equal((int)reads.in, rows[i].in);
    assert_int_equal((int)reads.out, rows[i].out);
    give(&t);
  }
}

TEST_GROUP(shake, cmocka_unit_test(prints_what_is_led_to),
           cmocka_unit_test(finds_what_a_kernel_reads))
