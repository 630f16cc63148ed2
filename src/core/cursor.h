// core/cursor.h - walking through the text of a schema.
//
// Private to core/schema*.c and core/schema/default.c. Each call that returns
// false has written the error, with what was expected and what was found, and
// where; callers only pass it on. Nothing reads past the final zero.
#ifndef TENON_CORE_CURSOR_H
#define TENON_CORE_CURSOR_H

#include "base/arena.h"
#include "base/text.h"
#include "core/schema/schema.h"

typedef struct tenon_cursor {
  tenon_arena *arena;
  const char *text;
  size_t at;
  char *error;
  size_t size;       // of `error`
  size_t *error_at;  // may be null
} tenon_cursor;

bool tenon_cursor_fail(tenon_cursor *c, size_t at, const char *fmt, ...)
    TENON_PRINTF(3, 4);
// "expected <what>, found <what stands here>".
bool tenon_cursor_expected(tenon_cursor *c, const char *what);
bool tenon_cursor_memory(tenon_cursor *c);  // "out of memory"

void tenon_cursor_skip(tenon_cursor *c);  // blanks
char tenon_cursor_peek(tenon_cursor *c);  // behind blanks
// Steps over `token` if it comes next, behind blanks.
bool tenon_cursor_accept(tenon_cursor *c, const char *token);
bool tenon_cursor_expect(tenon_cursor *c, const char *token);
// A C identifier, behind blanks.
bool tenon_cursor_name(tenon_cursor *c, const char *what, tenon_text *out);
// The longest run of letters, digits and any of "_.+-": a number or a name.
tenon_text tenon_cursor_word(tenon_cursor *c);
// A string in either kind of quotes, with Python's escapes resolved.
bool tenon_cursor_string(tenon_cursor *c, const char **out);
// How many items, separated by commas, stand before the closing bracket of what
// the cursor is in; an upper bound, for sizing arrays.
size_t tenon_cursor_items(const tenon_cursor *c);

// Fills everything of an argument that its type says.
// core/schema/schema_parse.c
bool tenon_cursor_type(tenon_cursor *c, tenon_argument *out);
// The default behind `=`. core/schema/default.c
bool tenon_cursor_default(tenon_cursor *c, tenon_argument *argument);
void tenon_default_print(const tenon_argument *argument, tenon_buf *out);

#endif  // TENON_CORE_CURSOR_H
