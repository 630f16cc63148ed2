// Texts of kernels: complete, in order, and C99 that compilers like, all of
// them in one file, static and not.
#include "kern/sources.h"

#include "base/os.h"
#include "kern_fixture.h"

static void texts_are_closed(void **state) {
  (void)state;
  for (const tenon_source *const *s = tenon_kernel_sources; *s; ++s) {
    CHECK(strncmp((*s)->name, "kern/", 5) == 0, "%s", (*s)->name);
    const char *include = strstr((*s)->text, "#include");
    bool may = strcmp((*s)->name, "kern/isa/arm/mve/mve.h") == 0 ||
               strcmp((*s)->name, "kern/isa/aarch64/neon.h") == 0;
    CHECK(!include || (may && !strstr(include + 1, "#include")), "%s includes",
          (*s)->name);
    CHECK((*s)->text[0] == '/', "%s begins with a comment", (*s)->name);
    for (const tenon_source *const *u = (*s)->uses; u && *u; ++u)
      CHECK(strncmp((*u)->name, "kern/", 5) == 0, "%s", (*s)->name);
  }
}

static void public_headers_are_whole(void **state) {
  static const char *const wanted[] = {"tenon/base.h", "tenon/attr.h",
                                       "tenon/tensor.h", "tenon/ext/plugin.h"};
  (void)state;
  EACH_ROW(i, wanted) {
    const tenon_source *const *s = tenon_public_header_sources;
    while (*s && strcmp((*s)->name, wanted[i]) != 0)
      ++s;
    CHECK(*s && strstr((*s)->text, "#include"), "%s", wanted[i]);
  }
}

static void kernels_have_texts(void **state) {
  (void)state;
  for (const tenon_op_desc *const *op = tenon_core_plugin.ops; *op; ++op) {
    const tenon_kernel_desc *const *k = (*op)->kernels;
    for (; k && *k; ++k) {
      CHECK((*k)->source, "%s", (*k)->symbol);
      CHECK(strstr((*k)->source->text, (*k)->symbol), "%s", (*k)->symbol);
    }
  }
}

// A file as emission makes it: headers first, every text once, after what it
// uses.
typedef struct page {
  char *text;
  size_t size;
  const tenon_source *printed[8192];
  int n_printed;
} page;

static void print(page *p, const char *text) {
  size_t size = strlen(text);
  p->text = realloc(p->text, p->size + size + 1);
  assert_non_null(p->text);
  memcpy(p->text + p->size, text, size + 1);
  p->size += size;
}

static void print_source(page *p, const tenon_source *s) {
  for (int i = 0; i < p->n_printed; ++i)
    if (p->printed[i] == s) return;
  for (const tenon_source *const *u = s->uses; u && *u; ++u)
    print_source(p, *u);
  assert_true(p->n_printed < 8192);
  p->printed[p->n_printed++] = s;
  print(p, s->text);
}

static void print_header(page *p, const char *name) {
  const tenon_source *const *s = tenon_public_header_sources;
  while (*s && strcmp((*s)->name, name) != 0)
    ++s;
  assert_non_null(*s);
  for (const char *line = (*s)->text; *line;) {
    size_t size = strcspn(line, "\n") + 1;
    char copy[1024];
    assert_true(size < sizeof copy);
    memcpy(copy, line, size);
    copy[size] = 0;
    if (!strstr(copy, "#include \"tenon/")) print(p, copy);
    line += size;
  }
}

static void texts_compile(void **state) {
  static const char *const compilers[] = {"gcc", "clang"};
  static const char *const linkages[] = {"-DTENON_KERNEL_LINKAGE=static",
                                         "-DTEST_EXTERN"};
  char folder[256], path[300], error[TENON_OS_ERROR];
  page p = {NULL, 0, {NULL}, 0};
  const tenon_allocator heap = tenon_heap();
  (void)state;
  print(&p, "#include <math.h>\n#include <string.h>\n");
  print_header(&p, "tenon/base.h");
  print_header(&p, "tenon/attr.h");
  print_header(&p, "tenon/tensor.h");
  // What an instruction set needs is said at the top of its own file.
  for (const tenon_source *const *s = tenon_kernel_sources; *s; ++s) {
    size_t size = strlen((*s)->name);
    if (strncmp((*s)->name, "kern/ref/", 9) == 0 &&
        strcmp((*s)->name + size - 2, ".c") == 0)
      print_source(&p, *s);
  }
  assert_true(tenon_os_temp_folder(folder, sizeof folder, error));
  snprintf(path, sizeof path, "%s/all.c", folder);
  assert_true(tenon_os_write_file(path, p.text, p.size, error));
  free(p.text);
  EACH_ROW(i, compilers) EACH_ROW(k, linkages) {
    const char *argv[] = {compilers[i],
                          "-std=c99",
                          "-pedantic",
                          "-Wall",
                          "-Wextra",
                          "-Wconversion",
                          "-Werror",
                          "-fsyntax-only",
                          "-Wno-unused-function",
                          linkages[k],
                          path,
                          NULL};
    int status = 0;
    // A machine without this compiler says nothing about it.
    if (!tenon_os_run(argv, NULL, 0, &heap, NULL, NULL, &status, error))
      continue;
    CHECK(status == 0 || status == 127, "%s %s", compilers[i], linkages[k]);
  }
  tenon_os_remove_folder(folder);
}

TEST_GROUP(sources, cmocka_unit_test(texts_are_closed),
           cmocka_unit_test(public_headers_are_whole),
           cmocka_unit_test(kernels_have_texts),
           cmocka_unit_test(texts_compile))
