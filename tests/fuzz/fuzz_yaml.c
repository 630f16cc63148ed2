// Any text as YAML: it is refused with a reason and a place, or it is a tree
// whose every node says where it stands, and answers every question.
#include <stdlib.h>
#include <string.h>

#include "base/heap.h"
#include "conf/yaml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void count(void *self, const tenon_diag *diag) {
  if (!diag->message || !diag->message[0] || !diag->place) abort();
  ++*(int *)self;
}

static void ask(const tenon_yaml *at, int *failures) {
  static const char *const words[] = {"op", "kernels", "kernel_name", NULL};
  const char *text = NULL;
  const tenon_yaml *value = NULL;
  int64_t whole = 0;
  double real = 0;
  bool is = false;
  size_t word = 0;
  int before = *failures, failed = 0;
  failed += tenon_yaml_text(at, &text) != TENON_OK;
  failed += tenon_yaml_int(at, -1, 10, &whole) != TENON_OK;
  failed += tenon_yaml_real(at, &real) != TENON_OK;
  failed += tenon_yaml_bool(at, &is) != TENON_OK;
  failed += tenon_yaml_word(at, words, &word) != TENON_OK;
  failed += tenon_yaml_need(at, "op", &value) != TENON_OK;
  if (*failures - before != failed) abort();
  if (text && strlen(text) != at->text.size) abort();
  before = *failures;
  if ((tenon_yaml_keys(at, words) != TENON_OK) != (*failures != before))
    abort();
}

// Lists and maps nest no deeper than TENON_YAML_DEPTH.
static void walk(const tenon_yaml *at, int *failures) {
  uint32_t n = 0;
  if (at->line == 0 || at->column == 0) abort();
  ask(at, failures);
  for (const tenon_yaml *e = at->first; e; e = e->next, ++n) {
    if (!e->key != (at->kind == TENON_YAML_LIST)) abort();
    if (n < 100 && e->key && !tenon_yaml_get(at, e->key->text.data)) abort();
    if (n < 100) walk(e, failures);
  }
  if (n != at->count) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  tenon_arena arena;
  int failures = 0;
  tenon_report report = {{&failures, count}};
  const tenon_yaml *root = NULL;
  tenon_arena_init(&arena, tenon_heap());
  tenon_text text = {(const char *)data, size};
  tenon_status status =
      tenon_yaml_read(&arena, &report, TENON_BAD_PLUGIN, "x.yaml", text, &root);
  if ((status == TENON_OK) != (failures == 0)) abort();
  if ((status == TENON_OK) != (root != NULL)) abort();
  if (root) walk(root, &failures);
  tenon_arena_deinit(&arena);
  return 0;
}
