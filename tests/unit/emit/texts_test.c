// The texts of kernels live together: any of them may meet in one file.
#include "build.h"
#include "emit/emission.h"
#include "kern/sources.h"

typedef struct bundle {
  tenon_buf text;
  const tenon_source *done[8192];
  size_t n;
} bundle;

static void add(bundle *b, const tenon_source *s, bool is_header) {
  char include[64];
  for (size_t i = 0; i < b->n; ++i)
    if (b->done[i] == s) return;
  assert_true(b->n < COUNT(b->done));
  b->done[b->n++] = s;
  for (size_t i = 0; s->uses && s->uses[i]; ++i)
    add(b, s->uses[i], false);
  bool ok =
      tenon_emit_strip(&b->text, s->text, is_header, include, sizeof include);
  CHECK(ok, "'%s' includes '%s'", s->name, include);
}

static void add_headers(bundle *b) {
  static const char *const names[] = {"tenon/base.h", "tenon/attr.h",
                                      "tenon/tensor.h"};
  EACH_ROW(i, names) {
    for (size_t k = 0; tenon_public_header_sources[k]; ++k)
      if (strcmp(tenon_public_header_sources[k]->name, names[i]) == 0)
        add(b, tenon_public_header_sources[k], true);
  }
  assert_int_equal(b->n, COUNT(names));
}

static void reference_kernels_compile_in_one_file(void **state) {
  built b;
  bundle all = {.n = 0};
  (void)state;
  build_begin(&b);
  tenon_buf_init(&all.text, tenon_heap());
  tenon_buf_text(&all.text,
                 "#include <math.h>\n#include <stdbool.h>\n"
                 "#include <stddef.h>\n#include <stdint.h>\n"
                 "#include <string.h>\n#define TENON_KERNEL_LINKAGE static "
                 "__attribute__((unused))\n");
  add_headers(&all);
  for (size_t i = 0; tenon_kernel_sources[i]; ++i)
    if (strncmp(tenon_kernel_sources[i]->name, "kern/ref/", 9) == 0)
      add(&all, tenon_kernel_sources[i], false);
  assert_false(all.text.failed);
  test_write(&b.folder, "all.c", all.text.data);
  build_compile(&b, "cc -O1 -c -o /dev/null " BUILD_STRICT, "all.c");
  if (test_run("clang --version", NULL, 0) == 0)
    build_compile(&b, "clang -fsyntax-only " BUILD_STRICT, "all.c");
  tenon_buf_deinit(&all.text);
  build_free(&b);
}

TEST_GROUP(texts, cmocka_unit_test(reference_kernels_compile_in_one_file))
