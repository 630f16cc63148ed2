// core/cursor.c - characters of a schema, and what is said when they are wrong.
//
// ASCII throughout: names are C identifiers, blanks are those of C's locale,
// and bytes from 0x80 up only occur in strings, where they are copied.
#include "core/cursor.h"
#include "base/chars.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// ---------------------------------------------------------------------------
// Errors
// ---------------------------------------------------------------------------

bool tenon_cursor_fail(tenon_cursor *c, size_t at, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  if (c->size > 0) (void)vsnprintf(c->error, c->size, fmt, args);
  va_end(args);
  if (c->error_at) *c->error_at = at;
  return false;
}

bool tenon_cursor_memory(tenon_cursor *c) {
  return tenon_cursor_fail(c, c->at, "out of memory");
}

static bool cursor_is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}
static bool cursor_is_word(char c) {
  return tenon_char_is_in_name(c) || c == '.' || c == '+' || c == '-';
}

bool tenon_cursor_expected(tenon_cursor *c, const char *what) {
  tenon_cursor_skip(c);
  size_t at = c->at;
  char here = c->text[at];
  tenon_text word = tenon_cursor_word(c);
  if (word.size > 0) {
    int shown = word.size > 40 ? 40 : (int)word.size;
    return tenon_cursor_fail(c, at, "expected %s, found '%.*s'", what, shown,
                             word.data);
  }
  if (here == 0) {
    return tenon_cursor_fail(c, at, "expected %s, found the end", what);
  }
  if (here < 0x20 || here > 0x7e) {
    return tenon_cursor_fail(c, at, "expected %s, found byte 0x%02x", what,
                             (unsigned)(unsigned char)here);
  }
  return tenon_cursor_fail(c, at, "expected %s, found '%c'", what, here);
}

// ---------------------------------------------------------------------------
// Tokens
// ---------------------------------------------------------------------------

void tenon_cursor_skip(tenon_cursor *c) {
  while (cursor_is_blank(c->text[c->at]))
    ++c->at;
}

char tenon_cursor_peek(tenon_cursor *c) {
  tenon_cursor_skip(c);
  return c->text[c->at];
}

bool tenon_cursor_accept(tenon_cursor *c, const char *token) {
  size_t size = strlen(token);
  tenon_cursor_skip(c);
  if (strncmp(c->text + c->at, token, size) != 0) return false;
  c->at += size;
  return true;
}

bool tenon_cursor_expect(tenon_cursor *c, const char *token) {
  char what[16];
  if (tenon_cursor_accept(c, token)) return true;
  (void)snprintf(what, sizeof what, "'%s'", token);
  return tenon_cursor_expected(c, what);
}

bool tenon_cursor_name(tenon_cursor *c, const char *what, tenon_text *out) {
  tenon_cursor_skip(c);
  const char *start = c->text + c->at;
  size_t size = 0;
  if (!tenon_char_begins_name(*start)) return tenon_cursor_expected(c, what);
  while (tenon_char_is_in_name(start[size]))
    ++size;
  c->at += size;
  out->data = start;
  out->size = size;
  return true;
}

tenon_text tenon_cursor_word(tenon_cursor *c) {
  tenon_cursor_skip(c);
  tenon_text word = {c->text + c->at, 0};
  while (cursor_is_word(word.data[word.size]))
    ++word.size;
  c->at += word.size;
  return word;
}

size_t tenon_cursor_items(const tenon_cursor *c) {
  size_t count = 1;
  int depth = 0;
  char quote = 0;
  for (const char *p = c->text + c->at; *p && depth >= 0; ++p) {
    if (quote) {
      if (*p == '\\' && p[1])
        ++p;
      else if (*p == quote)
        quote = 0;
    } else if (*p == '"' || *p == '\'') {
      quote = *p;
    } else if (*p == '(' || *p == '[') {
      ++depth;
    } else if (*p == ')' || *p == ']') {
      --depth;
    } else if (*p == ',' && depth == 0) {
      ++count;
    }
  }
  return count;
}

// ---------------------------------------------------------------------------
// Strings
// ---------------------------------------------------------------------------

static int hex_of(char c) {
  if (tenon_char_is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// One escape, behind its backslash; -1 if it is none. A zero byte would end the
// string early and is refused.
static int escaped(const char **at) {
  static const char names[] = "abfnrtv\\'\"";
  static const char bytes[] = "\a\b\f\n\r\t\v\\'\"";
  const char *p = *at;
  int value = 0, digits = 0;
  const char *found = *p ? strchr(names, *p) : NULL;
  if (found) {
    *at = p + 1;
    return (unsigned char)bytes[found - names];
  }
  if (*p == 'x') {
    for (++p; digits < 2 && hex_of(*p) >= 0; ++digits)
      value = value * 16 + hex_of(*p++);
    if (digits != 2) return -1;
  } else {
    for (; digits < 3 && *p >= '0' && *p <= '7'; ++digits)
      value = value * 8 + (*p++ - '0');
  }
  *at = p;
  return value > 0 && value < 256 ? value : -1;
}

bool tenon_cursor_string(tenon_cursor *c, const char **out) {
  tenon_cursor_skip(c);
  const char quote = c->text[c->at], *p = c->text + c->at + 1, *end = p;
  if (quote != '"' && quote != '\'')
    return tenon_cursor_expected(c, "a string");
  while (*end && *end != quote)
    end += end[0] == '\\' && end[1] ? 2 : 1;
  if (!*end)
    return tenon_cursor_fail(c, c->at, "expected a closing %c for this string",
                             quote);
  char *copy = tenon_arena_alloc(c->arena, (size_t)(end - p) + 1, 1);
  if (!copy) return tenon_cursor_memory(c);
  size_t size = 0;
  while (p < end) {
    int byte = (unsigned char)*p++;
    if (byte == '\\') {
      const char *start = p;
      byte = escaped(&p);
      if (byte < 0)
        return tenon_cursor_fail(
            c, (size_t)(start - c->text) - 1,
            "expected an escape, found '\\%c'",
            *start >= 0x20 && *start < 0x7f ? *start : '?');
    }
    copy[size++] = (char)byte;
  }
  copy[size] = 0;
  c->at = (size_t)(end + 1 - c->text);
  *out = copy;
  return true;
}
