// How: emitted C leaves places for macros: once, before each run, behind each
// step, and where ranges are divided. A header fills them in and a source file
// stands beside the driver. What watches memory keeps a copy of the arena and
// compares it behind each step: only the step's results and its scratch may
// have changed, which no sanitizer can know, since the arena is one array.
// Pieces of ranges run last one first there, so that a piece that needs another
// one's results does not find them; on threads the sanitizer looks for what is
// shared.
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

// The results of every step into a file: number of the step, of the result,
// bytes, and these; each number four bytes.
static const char steps_h[] =
    "#define VERIFIED_STEP_TABLE\n"
    "struct verified;\n"
    "void verified_on_step(const struct verified *m, int32_t step);\n"
    "#define VERIFIED_ON_STEP(m, step, name) verified_on_step((m), (step))\n";
static const char steps_c[] =
    "#include <stdio.h>\n"
    "#include \"verified.h\"\n"
    "#if VERIFIED_STEPS > 0\n"
    "void verified_on_step(const verified *m, int32_t step) {\n"
    "  static FILE *f;\n"
    "  int32_t i;\n"
    "  if (!f) f = fopen(STEPS, \"wb\");\n"
    "  for (i = 0; f && i < 65536; ++i) {\n"
    "    size_t size;\n"
    "    const void *data = verified_step_out(m, step, i, &size);\n"
    "    int32_t head[3] = {step, i, (int32_t)size};\n"
    "    if (!data && i > 63) return;\n"
    "    if (!data) continue;\n"
    "    (void)fwrite(head, 4, 3, f);\n"
    "    (void)fwrite(data, 1, size, f);\n"
    "  }\n"
    "}\n"
    "#endif\n";

static const char guard_h[] =
    "#define VERIFIED_STEP_TABLE\n"
    "#define VERIFIED_THREADS 3\n"
    "struct verified;\n"
    "void verified_fill(struct verified *m);\n"
    "void verified_before(const struct verified *m);\n"
    "void verified_behind(const struct verified *m, int32_t step);\n"
    "void verified_divide(int64_t n, void (*task)(void *, int64_t, int),\n"
    "                     void *arg);\n"
    "#define VERIFIED_ON_INIT(m) verified_fill(m)\n"
    "#define VERIFIED_ON_RUN(m) verified_before(m)\n"
    "#define VERIFIED_ON_STEP(m, step, name) verified_behind((m), (step))\n"
    "#define VERIFIED_PARALLEL(n, task, arg) verified_divide((n), (task), "
    "(arg))\n";
static const char guard_c[] =
    "#include <stdio.h>\n"
    "#include <stdlib.h>\n"
    "#include <string.h>\n"
    "#include \"verified.h\"\n"
    "const char *__asan_default_options(void);\n"
    "const char *__asan_default_options(void) { return \"detect_leaks=0\"; }\n"
    "void verified_divide(int64_t n, void (*task)(void *, int64_t, int),\n"
    "                     void *arg) {\n"
    "  while (n > 0) task(arg, --n, 0);\n"
    "}\n"
    "#if VERIFIED_ARENA_SIZE > 0 && VERIFIED_STEPS > 0\n"
    "static unsigned char before[VERIFIED_ARENA_SIZE];\n"
    "static unsigned char may[VERIFIED_ARENA_SIZE];\n"
    "void verified_fill(verified *m) {\n"
    "  uint32_t x = 1;\n"
    "  size_t i;\n"
    "  for (i = 0; i < sizeof before; ++i) {\n"
    "    x = x * 1664525u + 1013904223u;\n"
    "    m->arena[i] = (unsigned char)(x >> 24);\n"
    "  }\n"
    "}\n"
    "void verified_before(const verified *m) {\n"
    "  (void)memcpy(before, m->arena, sizeof before);\n"
    "}\n"
    "static void say(const verified *m, int32_t step, size_t at, size_t n) {\n"
    "  int32_t i, nearest = -1;\n"
    "  size_t size, behind = sizeof before;\n"
    "  for (i = 0; i < 64; ++i) {\n"
    "    const unsigned char *p =\n"
    "        (const unsigned char *)verified_step_out(m, step, i, &size);\n"
    "    if (!p || p < m->arena || p + size > m->arena + at) continue;\n"
    "    if ((size_t)(m->arena + at - (p + size)) >= behind) continue;\n"
    "    behind = (size_t)(m->arena + at - (p + size));\n"
    "    nearest = i;\n"
    "  }\n"
    "  if (nearest >= 0)\n"
    "    (void)fprintf(stderr, \"it wrote %lu bytes, %lu bytes behind the end "
    "of result %d\\n\",\n"
    "                  (unsigned long)n, (unsigned long)behind, "
    "(int)nearest);\n"
    "  else\n"
    "    (void)fprintf(stderr, \"it wrote %lu bytes in front of its "
    "results\\n\",\n"
    "                  (unsigned long)n);\n"
    "  exit(86);\n"
    "}\n"
    "void verified_behind(const verified *m, int32_t step) {\n"
    "  int32_t i;\n"
    "  size_t k, n, size;\n"
    "  (void)memset(may, 0, sizeof may);\n"
    "  for (i = -1; i < 64; ++i) {\n"
    "    const unsigned char *p =\n"
    "        (const unsigned char *)verified_step_out(m, step, i, &size);\n"
    "    if (p >= m->arena && p < m->arena + sizeof may)\n"
    "      (void)memset(may + (p - m->arena), 1, size);\n"
    "  }\n"
    "  for (k = 0; k < sizeof may; ++k) {\n"
    "    for (n = 0; k + n < sizeof may && !may[k + n] &&\n"
    "                m->arena[k + n] != before[k + n];)\n"
    "      ++n;\n"
    "    if (n > 0) say(m, step, k, n);\n"
    "  }\n"
    "  verified_before(m);\n"
    "}\n"
    "#else\n"
    "void verified_fill(verified *m) { (void)m; }\n"
    "void verified_before(const verified *m) { (void)m; }\n"
    "void verified_behind(const verified *m, int32_t step) {\n"
    "  (void)m;\n"
    "  (void)step;\n"
    "}\n"
    "#endif\n";

static const char races_h[] =
    "#define VERIFIED_THREADS 4\n"
    "void verified_divide(int64_t n, void (*task)(void *, int64_t, int),\n"
    "                     void *arg);\n"
    "#define VERIFIED_PARALLEL(n, task, arg) verified_divide((n), (task), "
    "(arg))\n";
static const char races_c[] =
    "#include <pthread.h>\n"
    "#include <stdlib.h>\n"
    "#include \"verified.h\"\n"
    "typedef struct piece {\n"
    "  void (*task)(void *, int64_t, int);\n"
    "  void *arg;\n"
    "  int64_t i;\n"
    "  pthread_t id;\n"
    "} piece;\n"
    "static void *work(void *arg) {\n"
    "  piece *p = (piece *)arg;\n"
    "  p->task(p->arg, p->i, (int)p->i);\n"
    "  return NULL;\n"
    "}\n"
    "void verified_divide(int64_t n, void (*task)(void *, int64_t, int),\n"
    "                     void *arg) {\n"
    "  piece list[VERIFIED_THREADS];\n"
    "  int64_t i;\n"
    "  for (i = 0; i < n; ++i) {\n"
    "    list[i].task = task;\n"
    "    list[i].arg = arg;\n"
    "    list[i].i = i;\n"
    "    if (pthread_create(&list[i].id, NULL, work, &list[i])) abort();\n"
    "  }\n"
    "  for (i = 0; i < n; ++i) (void)pthread_join(list[i].id, NULL);\n"
    "}\n";

// Regions that the counter of instructions knows; what is said between two of
// them is not counted.
static const char counted_h[] =
    "#include \"mcu.h\"\n"
    "#define VERIFIED_ON_RUN(m) (mcu_stack_mark(), mcu_begin())\n"
    "#define VERIFIED_ON_RAN(m) \\\n"
    "  (mcu_end(), mcu_report(\"stack\", mcu_stack_since()))\n";
static const char layers_h[] =
    "#include \"mcu.h\"\n"
    "#define VERIFIED_ON_RUN(m) mcu_begin()\n"
    "#define VERIFIED_ON_RAN(m) mcu_end()\n"
    "#define VERIFIED_ON_STEP(m, step, name) \\\n"
    "  (mcu_end(), mcu_report(\"step\", (uint32_t)(step)), mcu_begin())\n";

static bool watch_add(cli_files *files, const char *name, const char *text) {
  return cli_files_write(files, name, text, strlen(text)) == TENON_OK;
}

static bool add_steps(const char *folder, cli_files *files) {
  tenon_buf text = {0};
  char *path = cli_join(folder, CLI_EMITTED_STEPS);
  if (path)
    tenon_put(&text, "#define STEPS $\n$", tenon_as_json(path), steps_c);
  bool ok = path && !text.failed && watch_add(files, "watch.c", text.data) &&
            watch_add(files, "watch.h", steps_h);
  tenon_buf_deinit(&text);
  free(path);
  return ok;
}

bool cli_watch_add(cli_build how, const char *folder, cli_files *files) {
  switch (how) {
    case CLI_BUILD_STEPS:
      return add_steps(folder, files);
    case CLI_BUILD_SANITIZED:
      return watch_add(files, "watch.c", guard_c) &&
             watch_add(files, "watch.h", guard_h);
    case CLI_BUILD_RACES:
      return watch_add(files, "watch.c", races_c) &&
             watch_add(files, "watch.h", races_h);
    case CLI_BUILD_COUNTED:
      return watch_add(files, "watch.h", counted_h);
    case CLI_BUILD_LAYERS:
      return watch_add(files, "watch.h", layers_h);
    default:
      return true;
  }
}

static const char *const flags[][8] = {
    [CLI_BUILD_PLAIN] = {NULL},
    [CLI_BUILD_STEPS] = {"-DVERIFIED_CONFIG=\"watch.h\"", NULL},
    [CLI_BUILD_SANITIZED] = {"-DVERIFIED_CONFIG=\"watch.h\"", "-g", "-O1",
                             "-fsanitize=address,undefined",
                             "-fno-sanitize-recover=all", NULL},
    [CLI_BUILD_RACES] = {"-DVERIFIED_CONFIG=\"watch.h\"", "-g", "-O1",
                         "-fsanitize=thread", "-pthread", NULL},
    [CLI_BUILD_COUNTED] = {"-DVERIFIED_CONFIG=\"watch.h\"", NULL},
    [CLI_BUILD_LAYERS] = {"-DVERIFIED_CONFIG=\"watch.h\"", NULL}};

// An emulated core has no sanitizers; what compares memory behind each step
// needs none.
const char *const *cli_watch_options(const cli *c, cli_build how) {
  bool is_bare = c->machine && how == CLI_BUILD_SANITIZED;
  return is_bare ? flags[CLI_BUILD_STEPS] : flags[how];
}

const char *const *cli_watch_flags(const cli *c, cli_build how) {
  const char *const *options = cli_watch_options(c, how);
  return options + (options[0] ? 1 : 0);
}

char *cli_watch_summary(char *text) {
  static const char *const marks[] = {"runtime error: ", "SUMMARY: "};
  char *from = text;
  for (size_t i = 0; from == text && i < sizeof marks / sizeof *marks; ++i) {
    char *found = strstr(text, marks[i]);
    if (!found) continue;
    from = found;
    while (from > text && from[-1] != '\n')
      --from;
    from[strcspn(from, "\n")] = 0;
  }
  return from;
}
