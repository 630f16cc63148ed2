// Any text: the schema parser refuses it, or prints it to a text that it reads
// again and prints alike.
#include <stdlib.h>
#include <string.h>

#include "base/heap.h"
#include "core/schema/schema.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void print(tenon_arena *arena, const char *text, tenon_buf *out,
                  bool must_be_fine) {
  tenon_schema *schema = NULL;
  char error[256];
  size_t at = 0;
  bool is_fine =
      tenon_schema_parse(arena, text, &schema, error, sizeof error, &at);
  if (must_be_fine && !is_fine) abort();
  if (!is_fine && at > strlen(text)) abort();
  if (is_fine) tenon_schema_print(schema, out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  tenon_arena arena;
  tenon_buf once, twice;
  tenon_arena_init(&arena, tenon_heap());
  tenon_buf_init(&once, tenon_heap());
  tenon_buf_init(&twice, tenon_heap());
  const char *text = tenon_arena_text(&arena, (const char *)data, size);
  if (text) print(&arena, text, &once, false);
  if (once.size > 0) {
    print(&arena, once.data, &twice, true);
    if (strcmp(once.data, twice.data) != 0) abort();
  }
  tenon_buf_deinit(&twice);
  tenon_buf_deinit(&once);
  tenon_arena_deinit(&arena);
  return 0;
}
