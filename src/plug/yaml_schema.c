// How: of a text in one line the column of a fault can be told, and of a block
// none is needed: a schema has one line.
#include "plug/yaml_schema.h"

#include <stdio.h>
#include <string.h>

static bool has_set(const char *text) {
  size_t size = strcspn(text, "(");
  for (size_t i = 0; i + 1 < size; ++i)
    if (text[i] == ':' && text[i + 1] == ':') return true;
  return false;
}

static const char *with_set(tenon_arena *arena, const char *set,
                            const char *text) {
  size_t size = strlen(set) + strlen(text) + 3;
  char *whole = tenon_arena_alloc(arena, size, 1);
  if (whole) snprintf(whole, size, "%s::%s", set, text);
  return whole;
}

tenon_status tenon_yaml_schema(const tenon_context *cx, tenon_arena *arena,
                               const tenon_yaml *at, const char *set,
                               const char *id, tenon_schema **out) {
  char error[256];
  size_t where = 0, added = 0;
  const char *text = NULL;
  TENON_TRY(tenon_yaml_text(at, &text));
  if (set && !has_set(text)) {
    added = strlen(set) + 2;
    text = with_set(arena, set, text);
    if (!text) return tenon_fail_memory(&cx->report, "reading a schema");
  }
  bool is_read =
      tenon_schema_parse(arena, text, out, error, sizeof error, &where);
  if (is_read &&
      tenon_schema_check_types(*out, text, error, sizeof error, &where))
    return TENON_OK;
  if (arena->failed) return tenon_fail_memory(&cx->report, "reading a schema");
  tenon_yaml place = *at;
  where -= where < added ? where : added;
  if (at->body_line) {
    place.line = at->body_line;
    place.column = at->body_column + (uint32_t)where;
  } else {
    place.column += (uint32_t)where + !at->is_plain;
  }
  return tenon_yaml_fail(&place, id, "%s%s",
                         is_read ? "" : "no schema: ", error);
}
