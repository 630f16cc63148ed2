// Any text as an expression of sizes: it is refused with a reason, or it
// is a size that prints.
#include <stdlib.h>
#include <string.h>

#include "base/heap.h"
#include "read/pt2/symbol/pt2_expr.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool find(void *self, const char *name, bool is_size, tenon_dim *out) {
  if (name[0] == 'u') return false;
  *out = tenon_symbols_leaf((tenon_symbols *)self, name, is_size ? 0 : -100,
                            1 << 20);
  return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  tenon_arena arena;
  tenon_symbols symbols;
  tenon_buf buf;
  char error[128] = "";
  tenon_dim dim = {0, 0};
  tenon_arena_init(&arena, tenon_heap());
  tenon_symbols_init(&symbols, &arena, tenon_heap());
  tenon_buf_init(&buf, tenon_heap());
  const char *text = tenon_arena_text(&arena, (const char *)data, size);
  tenon_pt2_expr with = {&symbols, find, &symbols, error, sizeof error, true};
  if (text) {
    tenon_pt2_expr_result result = tenon_pt2_expr_parse(&with, text, &dim);
    if ((result == TENON_PT2_EXPR_OK) != (error[0] == 0)) abort();
    if (result == TENON_PT2_EXPR_OK) tenon_symbols_print(&symbols, dim, &buf);
    error[0] = 0;
    result = tenon_pt2_expr_truth(&with, text, &dim);
    if ((result == TENON_PT2_EXPR_OK) != (error[0] == 0)) abort();
    if (result == TENON_PT2_EXPR_OK) tenon_symbols_print(&symbols, dim, &buf);
  }
  tenon_buf_deinit(&buf);
  tenon_symbols_deinit(&symbols);
  tenon_arena_deinit(&arena);
  return 0;
}
