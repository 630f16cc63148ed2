// What surrounds the steps: settings, several models and instances, self-tests,
// files that are the same every time, and steps that no reader makes yet.
#include "build.h"

static const char chain[] =
    "module \"chain\" {\n"
    "  %x = input s32[6]\n"
    "  %a = test::guard(%x) : s32[6] @\"op 3\" \"net.py:42, in forward\" in "
    "\"chain\"\n"
    "  %b = test::guard(%a) : s32[6]\n"
    "  return %b\n"
    "}\n";

// Where streams of text end lines with two characters, one is left.
static void drop_returns(char *text) {
  char *to = text;
  for (; text && *text; ++text)
    if (*text != '\r') *to++ = *text;
  if (to) *to = 0;
}

static void run_program(built *b, const char *name, const char *want) {
  const char *argv[] = {test_path(&b->folder, name), NULL};
  char error[TENON_OS_ERROR];
  int status = 0;
  tenon_allocator heap = tenon_heap();
  tenon_os_pipe said = {.limit = 1 << 16};
  bool ok = tenon_os_run(argv, NULL, 0, &heap, &said, NULL, &status, error);
  CHECK(ok, "%s", error);
  drop_returns(said.data);
  CHECK_TEXT(said.data, want, 0);
  tenon_free(&heap, said.data, said.capacity, 1);
}

#define COMPILE(output, more)                                      \
  snprintf(command, sizeof command,                                \
           "cc " BUILD_STRICT " -O1 " BUILD_SANITIZED " -o %s %s", \
           test_path(&b.folder, output), more)

static const tenon_emit_options prefix_kws = {.struct_size = sizeof prefix_kws,
                                              .prefix = "kws"};

static void instances_and_faults(void **state) {
  static const char user[] =
      "#include <stdio.h>\n"
      "#include \"kws.h\"\n"
      "static kws a, b;\n"
      "int main(void) {\n"
      "  int32_t x[6] = {1, 2, 3, 4, 5, 6}, y[6];\n"
      "  kws_init(&a);\n"
      "  kws_init(&b);\n"
      "  printf(\"%d\", kws_run(&a, x, y));\n"
      "  x[4] = 999;\n"
      "  printf(\" %d\", kws_run(&b, x, NULL));\n"
      "  printf(\" %s %ld %ld %ld\", kws_fault(&b), (long)kws_fault_value(&b, "
      "0),\n"
      "         (long)kws_fault_value(&b, 1), (long)kws_fault_step(&b));\n"
      "  kws_in_x(&b)[5] = 9;\n"
      "  for (int i = 0; i < KWS_IN_X_COUNT; ++i) kws_in_x(&b)[i] = i;\n"
      "  printf(\" %d\", kws_run(&b, NULL, NULL));\n"
      "  printf(\" '%s' %ld\", kws_fault(&b),\n"
      "         (long)kws_fault_step(&b));\n"
      "  printf(\" %ld %ld %d\\n\", (long)y[5], (long)kws_out_b(&b)[5],\n"
      "         KWS_OUT_B_SIZE);\n"
      "  return 0;\n"
      "}\n";
  char command[1024];
  built b;
  (void)state;
  build_program(&b, chain);
  assert_int_equal(build_emit(&b, b.program, &prefix_kws), TENON_OK);
  test_write(&b.folder, "user.c", user);
  COMPILE("user", "");
  build_compile(&b, command, "kws.c user.c");
  run_program(&b, "user", "0 10 {0} at {1} 1000 4 1 0 '' -1 8 7 24\n");
  build_free(&b);
}

// Pieces run on real threads, each with scratch of its own.
static void threads(void **state) {
  static const char config[] =
      "#include <stdint.h>\n"
      "void spread(int64_t n, void (*task)(void *, int64_t, int), void *arg);\n"
      "#define KWS_THREADS 3\n"
      "#define KWS_PARALLEL(n, task, arg) spread(n, task, arg)\n";
  static const char user[] =
      "#include <pthread.h>\n"
      "#include <stdint.h>\n"
      "void spread(int64_t n, void (*task)(void *, int64_t, int), void *arg);\n"
      "#include \"kws.h\"\n"
      "#include <stdio.h>\n"
      "typedef struct piece {\n"
      "  void (*task)(void *, int64_t, int);\n"
      "  void *arg;\n"
      "  int i;\n"
      "} piece;\n"
      "static void *start(void *p) {\n"
      "  piece *w = (piece *)p;\n"
      "  w->task(w->arg, w->i, w->i);\n"
      "  return NULL;\n"
      "}\n"
      "void spread(int64_t n, void (*task)(void *, int64_t, int), void *arg) "
      "{\n"
      "  pthread_t id[KWS_THREADS];\n"
      "  piece all[KWS_THREADS];\n"
      "  for (int i = 0; i < n; ++i) {\n"
      "    all[i].task = task, all[i].arg = arg, all[i].i = i;\n"
      "    (void)pthread_create(&id[i], NULL, start, &all[i]);\n"
      "  }\n"
      "  for (int i = 0; i < n; ++i) (void)pthread_join(id[i], NULL);\n"
      "}\n"
      "static kws instance;\n"
      "int main(void) {\n"
      "  float x[35], y[35];\n"
      "  int32_t a[9];\n"
      "  double sum = 0;\n"
      "  for (int i = 0; i < 35; ++i) x[i] = (float)i;\n"
      "  for (int i = 0; i < 9; ++i) a[i] = i == 4 || i == 8 ? 1000 : i;\n"
      "  kws_init(&instance);\n"
      "  printf(\"%d \", kws_rows(&instance, x, y));\n"
      "  for (int i = 0; i < 35; ++i) sum += (double)y[i] * i;\n"
      "  printf(\"%g \", sum);\n"
      "  printf(\"%d \", kws_guard(&instance, a, NULL));\n"
      "  printf(\"%s %ld\\n\", kws_fault(&instance),\n"
      "         (long)kws_fault_value(&instance, 1));\n"
      "  return 0;\n"
      "}\n";
  char command[1024];
  built b;
  (void)state;
  build_program(&b,
                "module {\n"
                "  entry \"rows\" = @0 (\"x\") -> (\"y\")\n"
                "  entry \"guard\" = @1 (\"x\") -> (\"y\")\n"
                "  const %w : f32[5] = {1, 2, 3, 4, 5}\n"
                "  func @0 \"f\" (%x: f32[7,5]) {\n"
                "    %y = test::rows(%x, %w) : f32[7,5]\n"
                "    return %y\n"
                "  }\n"
                "  func @1 \"g\" (%x: s32[9]) {\n"
                "    %y = test::guard(%x) : s32[9]\n"
                "    return %y\n"
                "  }\n"
                "}\n");
  assert_int_equal(build_emit(&b, b.program, &prefix_kws), TENON_OK);
  test_write(&b.folder, "config.h", config);
  test_write(&b.folder, "user.c", user);
  COMPILE("alone", "-pthread -D_POSIX_C_SOURCE=200809L");
  // The same sums with one thread and with three.
  build_compile(&b, command, "kws.c user.c");
  COMPILE("spread",
          "-pthread -D_POSIX_C_SOURCE=200809L -DKWS_CONFIG=\"config.h\"");
  build_compile(&b, command, "kws.c user.c");
  run_program(&b, "alone", "0 15260 10 {0} at {1} 4\n");
  run_program(&b, "spread", "0 15260 10 {0} at {1} 4\n");
  build_free(&b);
}

static void settings(void **state) {
  static const char config[] =
      "#include <stdio.h>\n"
      "#define KWS_STEP_TABLE\n"
      "#define KWS_CONST __attribute__((section(\".weights\")))\n"
      "#define KWS_ON_STEP(m, step, name) do { size_t n, none; \\\n"
      "  const void *v = kws_step_out(m, step, 0, &n); \\\n"
      "  const void *w = kws_step_out(m, step, 1, &none); \\\n"
      "  (void)printf(\"%d %s [%d %d %d], \", step, name, (int)n, \\\n"
      "               ((const int32_t *)v)[5], w != NULL || none); } while "
      "(0)\n";
  static const char user[] =
      "#include \"kws.h\"\n"
      "static kws instance;\n"
      "int main(void) {\n"
      "  int32_t x[6] = {0, 1, 2, 3, 4, 5}, y[6];\n"
      "  kws_init(&instance);\n"
      "  if (kws_run(&instance, x, y) != 0) return 1;\n"
      "  for (int i = 0; i < KWS_STEPS; ++i)\n"
      "    printf(\"%s %s '%s' %ld\\n\", kws_steps[i].op, "
      "kws_steps[i].kernel,\n"
      "           kws_steps[i].origin, (long)kws_steps[i].macs);\n"
      "  return 0;\n"
      "}\n";
  char command[1024];
  built b;
  (void)state;
  build_program(&b, chain);
  assert_int_equal(build_emit(&b, b.program, &prefix_kws), TENON_OK);
  test_write(&b.folder, "config.h", config);
  test_write(&b.folder, "user.c", user);
  COMPILE("user", "-DKWS_CONFIG=\"config.h\"");
  build_compile(&b, command, "kws.c user.c");
  run_program(&b, "user",
              "0 test::guard [24 6 0], 1 test::guard [24 7 0], "
              "test::guard test_guard_s32 'chain: op 3; net.py:42, in forward' "
              "0\n"
              "test::guard test_guard_s32 'test.tenon: line 4, column 3' 0\n");
  build_free(&b);
}

static void several_models_in_one_program(void **state) {
  static const char user[] =
      "#include \"kws.h\"\n"
      "#include \"ad.h\"\n"
      "static kws a;\n"
      "static ad b;\n"
      "int main() {\n"
      "  int32_t x[6] = {0, 1, 2, 3, 4, 5};\n"
      "  kws_init(&a);\n"
      "  ad_init(&b);\n"
      "  return kws_run(&a, x, x) || ad_run(&b, x, x) || x[5] != 9;\n"
      "}\n";
  char command[1024];
  built b;
  (void)state;
  build_program(&b, chain);
  assert_int_equal(build_emit(&b, b.program, &prefix_kws), TENON_OK);
  tenon_emit_options o = prefix_kws;
  o.prefix = "ad";
  assert_int_equal(build_emit(&b, b.program, &o), TENON_OK);
  test_write(&b.folder, "user.cpp", user);
  snprintf(command, sizeof command, "cc " BUILD_STRICT " -c -o %s",
           test_path(&b.folder, "kws.o"));
  build_compile(&b, command, "kws.c");
  snprintf(command, sizeof command, "cc " BUILD_STRICT " -c -o %s",
           test_path(&b.folder, "ad.o"));
  build_compile(&b, command, "ad.c");
  snprintf(command, sizeof command, "c++ -Wall -Wextra -Werror -o %s",
           test_path(&b.folder, "user"));
  build_compile(&b, command, "user.cpp kws.o ad.o");
  run_program(&b, "user", "");
  build_free(&b);
}

static const char *file_at(built *b, const char *list, size_t *size) {
  char name[64];
  *size = strcspn(list, " ");
  snprintf(name, sizeof name, "%.*s", (int)*size, list);
  ++*size;
  return build_text(b, name);
}

static void the_same_bytes_every_time(void **state) {
  built one, two;
  size_t size = 0;
  (void)state;
  build_program(&one, chain);
  build_program(&two, chain);
  tenon_emit_options o = prefix_kws;
  o.flags = TENON_EMIT_DRIVER;
  assert_int_equal(build_emit(&one, one.program, &o), TENON_OK);
  assert_int_equal(build_emit(&two, two.program, &o), TENON_OK);
  assert_string_equal(one.files,
                      "kws.h kws.c kws_driver.c kws_driver.flags README.md ");
  for (const char *p = one.files; *p; p += size)
    assert_string_equal(file_at(&one, p, &size), file_at(&two, p, &size));
  build_free(&one);
  build_free(&two);
}

static void stripped_files_name_no_files(void **state) {
  built b;
  size_t size = 0;
  (void)state;
  build_program(&b, chain);
  tenon_emit_options o = prefix_kws;
  o.flags = TENON_EMIT_STRIP | TENON_EMIT_DRIVER;
  assert_int_equal(build_emit(&b, b.program, &o), TENON_OK);
  for (const char *p = b.files; *p; p += size) {
    const char *text = file_at(&b, p, &size);
    CHECK(!strstr(text, "chain") && !strstr(text, "test.tenon") &&
              !strstr(text, "net.py") && !strstr(text, "source.c"),
          "%s", text);
  }
  build_compile(&b, "cc -fsyntax-only " BUILD_STRICT, "kws.c kws_driver.c");
  build_free(&b);
}

// --- self-tests -------------------------------------------------------------

static void runs_recorded_vectors(void **state) {
  static const int32_t dims[] = {4};
  static float x[] = {1, -2, NAN, INFINITY}, good[] = {2, -4, NAN, INFINITY};
  static float near_by[] = {2.0001f, -4, NAN, INFINITY};
  static float off[] = {2.5f, -4, 0, -INFINITY};
  const tenon_tensor in = {
      .data = x, .dims = dims, .dtype = TENON_F32, .rank = 1};
  tenon_tensor out[] = {in, in, in};
  out[0].data = good;
  out[1].data = near_by;
  out[2].data = off;
  const tenon_vectors vectors[] = {{0, &in, 1, &out[0], 1, 0, 0},
                                   {0, &in, 1, &out[1], 1, 0, 1e-3},
                                   {0, &in, 1, &out[2], 1, 0.5, 0}};
  static const char *const packages[] = {"files", "single"};
  char command[1024];
  (void)state;
  EACH_ROW(i, packages) {
    built b;
    build_program(&b,
                  "module {\n"
                  "  %x = input f32[4]\n"
                  "  %y = test::pair(%x) [by=2] : f32[4]\n"
                  "  return %y\n"
                  "}\n");
    tenon_emit_options o = prefix_kws;
    o.package = packages[i];
    o.vectors = vectors;
    o.n_vectors = 3;
    assert_int_equal(build_emit(&b, b.program, &o), TENON_OK);
    COMPILE("test", "");
    build_compile(&b, command, "kws.c kws_test.c");
    run_program(&b, "test",
                "vector 0, y: largest difference 0, 0 of 4 outside\n"
                "vector 1, y: largest difference 9.990e-5, 0 of 4 outside\n"
                "vector 2, y: largest difference nan, FAILED: 2 of 4 outside\n"
                "2 passed, 1 failed\n");
    build_free(&b);
  }
}

// Every element type through the self-test's own reading of numbers.
static void compares_every_element_type(void **state) {
  static const struct {
    const char *type;
    tenon_dtype dtype;
    uint8_t got[8], want[8];
    const char *said;
  } rows[] = {
      {"s8", TENON_S8, {0xff}, {2}, "3, FAILED: 1 of 1"},
      {"u8", TENON_U8, {0xff}, {2}, "253, FAILED: 1 of 1"},
      {"bool", TENON_BOOL, {1}, {0}, "1, FAILED: 1 of 1"},
      {"s16", TENON_S16, {0, 0x80}, {0}, "32768, FAILED: 1 of 1"},
      {"u16", TENON_U16, {0, 0x80}, {0}, "32768, FAILED: 1 of 1"},
      {"s32", TENON_S32, {0xff, 0xff, 0xff, 0xff}, {0}, "1, FAILED: 1 of 1"},
      {"s64",
       TENON_S64,
       {1, 0, 0, 0, 0, 0, 0, 0x80},
       {0, 0, 0, 0, 0, 0, 0, 0x80},
       "0, FAILED: 1 of 1"},
      {"f64",
       TENON_F64,
       {0, 0, 0, 0, 0, 0, 0xf0, 0x3f},
       {0, 0, 0, 0, 0, 0, 0xe0, 0x3f},
       "5e-1, FAILED: 1 of 1"},
      {"f16", TENON_F16, {0, 0x3c}, {0xff, 0x3b}, "4.883e-4, 0 of 1"},
      {"f16", TENON_F16, {0, 0x7c}, {0, 0xfc}, "inf, FAILED: 1 of 1"},
      {"f16", TENON_F16, {1, 0}, {2, 0}, "5.960e-8, 0 of 1"},
      {"bf16", TENON_BF16, {0x80, 0x3f}, {0x81, 0x3f}, "7.813e-3, 0 of 1"},
      {"c64", TENON_C64, {0}, {0, 0, 0x80, 0x3f}, "1, FAILED: 1 of 2"},
      {"s4", TENON_S4, {0x21}, {0x31}, "16, FAILED: 1 of 1"},
      {"f8e5m2", TENON_F8E5M2, {1}, {3}, "2, FAILED: 1 of 1"},
  };
  enum { N = COUNT(rows) };
  static const int32_t dims[] = {1};
  static uint8_t got[N][8], expected[N][8];
  static tenon_tensor in[N], out[N];
  char command[1024], text[2048] = "module {\n", want[2048] = "";
  char results[512] = "  return";
  (void)state;
  EACH_ROW(i, rows) {
    size_t at = strlen(text), to = strlen(want), end = strlen(results);
    memcpy(got[i], rows[i].got, 8);
    memcpy(expected[i], rows[i].want, 8);
    in[i] = (tenon_tensor){
        .data = got[i], .dims = dims, .dtype = rows[i].dtype, .rank = 1};
    out[i] = in[i];
    out[i].data = expected[i];
    snprintf(text + at, sizeof text - at, "  %%x%zu = input %s[1]\n", i,
             rows[i].type);
    snprintf(results + end, sizeof results - end, "%s %%x%zu", i ? "," : "", i);
    snprintf(want + to, sizeof want - to,
             "vector 0, x%zu_out: largest difference %s outside\n", i,
             rows[i].said);
  }
  strcat(want, "0 passed, 1 failed\n");
  strcat(strcat(text, results), "\n}\n");
  built b;
  build_program(&b, text);
  tenon_vectors v = {0, in, N, out, N, 0.01, 0};
  tenon_emit_options o = prefix_kws;
  o.vectors = &v;
  o.n_vectors = 1;
  assert_int_equal(build_emit(&b, b.program, &o), TENON_OK);
  COMPILE("test", "");
  build_compile(&b, command, "kws.c kws_test.c");
  run_program(&b, "test", want);
  build_free(&b);
}

// --- steps that no reader makes yet -----------------------------------------

// while (x < 5) call { x = x + 1 }: the flag is a byte that the condition block
// leaves; kernels are templates.
static void loops_and_calls(void **state) {
  static const int32_t one[] = {1};
  static const tenon_program_tensor tensors[] = {
      {.slot = {TENON_IN_ARENA, 0, 0},
       .size = 4,
       .dims = one,
       .dtype = TENON_S32,
       .rank = 1,
       .name = "x"},
      {.slot = {TENON_IN_ARENA, 0, 64},
       .size = 1,
       .dtype = TENON_BOOL,
       .name = "go"},
  };
  static const tenon_kernel_desc less = {
      .struct_size = sizeof less,
      .symbol = "less",
      .types = "s32 -> bool",
      .emit_template = "$out0[0] = $in0[0] < 5;\n"};
  static const tenon_kernel_desc next = {
      .struct_size = sizeof next,
      .symbol = "next",
      .types = "s32 -> s32",
      .emit_template = "$out0[0] = $in0[0] + 1;\n"};
  static const tenon_program_kernel kernels[] = {
      {&less, NULL, "less", "test", NULL}, {&next, NULL, "next", "test", NULL}};
  static const tenon_place nowhere = {NULL, NULL, NULL, 0, 0};
#define STEP(its_kind, its_kernel, its_in, its_out, block0, block1)   \
  {                                                                   \
    .kind = its_kind, .kernel = its_kernel, .attrs = TENON_NO_INDEX,  \
    .in = its_in, .out = its_out, .n_in = 1,                          \
    .n_out = its_kind == TENON_STEP_KERNEL, .packed = TENON_NO_INDEX, \
    .blocks = {block0, block1}, .op = "test::step", .place = &nowhere \
  }
  static const tenon_step steps[] = {
      STEP(TENON_STEP_WHILE, TENON_NO_INDEX, 2, 0, 1, 2),
      STEP(TENON_STEP_KERNEL, 0, 0, 2, TENON_NO_INDEX, TENON_NO_INDEX),
      STEP(TENON_STEP_CALL, TENON_NO_INDEX, 0, 0, 3, TENON_NO_INDEX),
      STEP(TENON_STEP_KERNEL, 1, 0, 1, TENON_NO_INDEX, TENON_NO_INDEX),
  };
  static const uint32_t operands[] = {0, 0, 1};
  static const uint32_t order[] = {0, 1, 2, 3};
  static const tenon_block blocks[] = {{0, 1}, {1, 1}, {2, 1}, {3, 1}};
  static const int64_t wide[] = {1};
  static const tenon_io io = {"x", wide, NULL, TENON_S32, 1, 0, "[1]"};
  static const uint32_t x[] = {0};
  static const tenon_program_entry entry = {"main", 0,   x,    x, 1,   1,
                                            &io,    &io, NULL, 0, NULL};
  struct tenon_program p = {0};
  static const char user[] =
      "#include \"kws.h\"\n"
      "static kws a;\n"
      "int main(void) {\n"
      "  int32_t x = -3;\n"
      "  kws_init(&a);\n"
      "  return kws_run(&a, &x, &x) || x != 5;\n"
      "}\n";
  char command[1024];
  built b;
  (void)state;
  build_begin(&b);
  tenon_arena_init(&p.arena, tenon_heap());
  p.name = "loop";
  p.target = "c";
  p.tensors = tensors, p.n_tensors = 2;
  p.kernels = kernels, p.n_kernels = 2;
  p.steps = steps, p.n_steps = 4;
  p.operands = operands, p.n_operands = 3;
  p.order = order, p.n_order = 4;
  p.blocks = blocks, p.n_blocks = 4;
  p.entries = &entry, p.n_entries = 1;
  p.arena_size = 65, p.arena_align = TENON_ARENA_ALIGN;
  assert_int_equal(build_emit(&b, &p, &prefix_kws), TENON_OK);
  test_write(&b.folder, "user.c", user);
  COMPILE("user", "");
  build_compile(&b, command, "kws.c user.c");
  run_program(&b, "user", "");
  build_free(&b);
}

TEST_GROUP(program, cmocka_unit_test(instances_and_faults),
           cmocka_unit_test(threads), cmocka_unit_test(settings),
           cmocka_unit_test(several_models_in_one_program),
           cmocka_unit_test(the_same_bytes_every_time),
           cmocka_unit_test(stripped_files_name_no_files),
           cmocka_unit_test(runs_recorded_vectors),
           cmocka_unit_test(compares_every_element_type),
           cmocka_unit_test(loops_and_calls))
