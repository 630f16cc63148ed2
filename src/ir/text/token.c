// ir/text/token.c - cutting text into tokens.
//
// One pass, one token ahead. A token knows whether it begins a line and whether
// it touches the one before: a few things that may follow a statement could as
// well begin the next one, and only the line tells.
#include <stdio.h>

#include "base/chars.h"
#include "ir/text/parser.h"

static char at(const tenon_parser *p, size_t i) {
  return i < p->text.size ? p->text.data[i] : 0;
}

static void token_skip_blanks(tenon_parser *p) {
  for (; p->at < p->text.size; ++p->at) {
    char c = p->text.data[p->at];
    if (c == '#') {
      while (p->at < p->text.size && p->text.data[p->at] != '\n')
        ++p->at;
      if (p->at == p->text.size) return;
      c = '\n';
    }
    if (c == '\n') {
      ++p->line;
      p->line_begin = p->at + 1;
    } else if (c != ' ' && c != '\t' && c != '\r') {
      return;
    }
  }
}

// Letters and digits, with `::` and `.` between them.
static size_t word_end(const tenon_parser *p, size_t i) {
  while (tenon_char_is_in_name(at(p, i))) {
    ++i;
    if (at(p, i) == '.' && tenon_char_begins_name(at(p, i + 1))) {
      ++i;
    } else if (at(p, i) == ':' && at(p, i + 1) == ':' &&
               tenon_char_begins_name(at(p, i + 2))) {
      i += 2;
    }
  }
  return i;
}

static size_t number_end(const tenon_parser *p, size_t i) {
  bool is_hex = at(p, i) == '0' && (at(p, i + 1) == 'x' || at(p, i + 1) == 'X');
  for (;; ++i) {
    char c = at(p, i), next = at(p, i + 1);
    bool is_exponent = is_hex ? c == 'p' || c == 'P' : c == 'e' || c == 'E';
    if (is_exponent && (next == '+' || next == '-')) {
      ++i;
    } else if (c == '.' && next == '.') {
      return i;
    } else if (!tenon_char_is_digit(c) && !tenon_char_begins_name(c) &&
               c != '.') {
      return i;
    }
  }
}

static size_t string_end(const tenon_parser *p, size_t i) {
  for (++i; i < p->text.size && p->text.data[i] != '\n'; ++i) {
    if (p->text.data[i] == '"') return i + 1;
    if (p->text.data[i] == '\\') ++i;
  }
  return 0;
}

static int kind_at(const tenon_parser *p, size_t i, size_t *end) {
  char c = p->text.data[i];
  *end = i + 1;
  if (tenon_char_begins_name(c)) {
    *end = word_end(p, i);
    return TENON_TOKEN_WORD;
  }
  if (tenon_char_is_digit(c)) {
    *end = number_end(p, i);
    return TENON_TOKEN_NUMBER;
  }
  if (c == '"') {
    size_t close = string_end(p, i);
    if (close == 0) return TENON_TOKEN_BAD;
    *end = close;
    return TENON_TOKEN_STRING;
  }
  if (c == '-' && at(p, i + 1) == '>') {
    *end = i + 2;
    return TENON_TOKEN_ARROW;
  }
  if (c == '.' && at(p, i + 1) == '.') {
    bool is_long = at(p, i + 2) == '.';
    *end = i + (is_long ? 3 : 2);
    return is_long ? TENON_TOKEN_ELLIPSIS : TENON_TOKEN_RANGE;
  }
  return c > ' ' && c < 0x7f ? c : TENON_TOKEN_BAD;
}

void tenon_parser_next(tenon_parser *p) {
  size_t end = 0, before = p->at;
  uint32_t line = p->line;
  token_skip_blanks(p);
  tenon_token *t = &p->token;
  t->is_glued = p->at == before && before > 0;
  t->is_first = p->line != line;
  t->line = p->line;
  t->column = (uint32_t)(p->at - p->line_begin + 1);
  t->text.data = p->text.data + p->at;
  t->text.size = 0;
  t->kind = TENON_TOKEN_END;
  if (p->at == p->text.size) return;
  t->kind = kind_at(p, p->at, &end);
  t->text.size = end - p->at;
  p->at = end;
}

// ---------------------------------------------------------------------------
// Failing
// ---------------------------------------------------------------------------

// "line 3, column 7", of the file in which the text stands.
static void say_where(const tenon_parser *p, const tenon_token *t, char *out,
                      size_t size) {
  bool is_inside = p->first_line != 0;
  uint32_t line = is_inside ? p->first_line + t->line - 1 : t->line;
  uint32_t column = is_inside ? p->indent + t->column - 1 : t->column;
  snprintf(out, size, "line %u, column %u", (unsigned)line, (unsigned)column);
}

bool tenon_parser_fail(tenon_parser *p, const tenon_token *where,
                       const char *fmt, ...) {
  char place_text[64];
  tenon_place place = {p->file, place_text, NULL, 0, 0};
  va_list args;
  if (p->status != TENON_OK) return false;
  if (p->host) {
    char text[TENON_MESSAGE_SIZE];
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    say_where(p, where, place_text, sizeof place_text);
    return p->host->fail(p, place_text, text);
  }
  say_where(p, where, place_text, sizeof place_text);
  place.offset = (uint64_t)(where->text.data - p->text.data);
  place.size = where->text.size;
  va_start(args, fmt);
  p->status = tenon_vfail(&p->m->report, TENON_BAD_MODEL, "text-syntax", &place,
                          NULL, fmt, args);
  va_end(args);
  return false;
}

bool tenon_parser_expected(tenon_parser *p, const char *what) {
  const tenon_token *t = &p->token;
  if (t->kind == TENON_TOKEN_END)
    return tenon_parser_fail(p, t, "expected %s, found the end of the text",
                             what);
  if (t->kind == TENON_TOKEN_BAD && t->text.data[0] == '"')
    return tenon_parser_fail(p, t, "expected %s, found a string without end",
                             what);
  if (t->kind == TENON_TOKEN_BAD)
    return tenon_parser_fail(p, t, "expected %s, found the byte 0x%02x", what,
                             (unsigned)(unsigned char)t->text.data[0]);
  int size = t->text.size > 40 ? 40 : (int)t->text.size;
  return tenon_parser_fail(p, t, "expected %s, found '%.*s'", what, size,
                           t->text.data);
}

bool tenon_parser_memory(tenon_parser *p) {
  if (p->status == TENON_OK)
    p->status = tenon_fail_memory(&p->m->report, "reading text");
  return false;
}

bool tenon_parser_built(tenon_parser *p, bool done) {
  if (!done && p->status == TENON_OK)
    p->status = p->m->arena.failed ? TENON_NO_MEMORY : TENON_BAD_MODEL;
  return done;
}

tenon_loc tenon_parser_implied(tenon_parser *p, const tenon_token *where) {
  char text[64];
  say_where(p, where, text, sizeof text);
  tenon_place place = {p->file, text, NULL, UINT64_MAX, 0};
  return tenon_locs_add(&p->m->locs, &place);
}

// ---------------------------------------------------------------------------
// Taking
// ---------------------------------------------------------------------------

bool tenon_parser_is(const tenon_parser *p, int kind) {
  return p->token.kind == kind;
}

bool tenon_parser_is_word(const tenon_parser *p, const char *word) {
  return p->token.kind == TENON_TOKEN_WORD &&
         tenon_text_is(p->token.text, word);
}

bool tenon_parser_accept(tenon_parser *p, int kind) {
  if (!tenon_parser_is(p, kind)) return false;
  tenon_parser_next(p);
  return true;
}

bool tenon_parser_accept_word(tenon_parser *p, const char *word) {
  if (!tenon_parser_is_word(p, word)) return false;
  tenon_parser_next(p);
  return true;
}

bool tenon_parser_expect(tenon_parser *p, int kind) {
  char what[8] = "' '";
  if (tenon_parser_accept(p, kind)) return true;
  what[1] = (char)kind;
  return tenon_parser_expected(p, kind == TENON_TOKEN_ARROW    ? "'->'"
                                  : kind == TENON_TOKEN_RANGE  ? "'..'"
                                  : kind == TENON_TOKEN_STRING ? "a string"
                                  : kind == TENON_TOKEN_NUMBER ? "a number"
                                  : kind == TENON_TOKEN_WORD   ? "a word"
                                                               : what);
}

static int token_hex_digit(char c) {
  if (tenon_char_is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

// Resolves the escape behind a backslash; how many characters it has, or 0.
static size_t unescape(const char *s, size_t size, char *out) {
  static const char pairs[] = "\"\"\\\\n\nt\tr\r";
  if (size >= 3 && s[0] == 'x') {
    int high = token_hex_digit(s[1]), low = token_hex_digit(s[2]);
    *out = (char)(high * 16 + low);
    return high < 0 || low < 0 ? 0 : 3;
  }
  for (const char *pair = pairs; size > 0 && *pair; pair += 2) {
    if (pair[0] != s[0]) continue;
    *out = pair[1];
    return 1;
  }
  return 0;
}

bool tenon_parser_string(tenon_parser *p, const char **text, size_t *size) {
  const tenon_token t = p->token;
  if (t.kind != TENON_TOKEN_STRING) return tenon_parser_expected(p, "a string");
  const char *s = t.text.data + 1;
  size_t n = t.text.size - 2, used = 0;
  char *copy = tenon_arena_alloc(&p->arena, n + 1, 1);
  if (!copy) return tenon_parser_memory(p);
  for (size_t i = 0; i < n; ++i) {
    copy[used] = s[i];
    if (s[i] == '\\') {
      size_t more = unescape(s + i + 1, n - i - 1, &copy[used]);
      if (more == 0)
        return tenon_parser_fail(p, &t, "an escape in a string is not known");
      i += more;
    }
    ++used;
  }
  copy[used] = 0;
  *text = copy;
  if (size) *size = used;
  tenon_parser_next(p);
  return true;
}

bool tenon_parser_text(tenon_parser *p, const char **text) {
  const tenon_token t = p->token;
  size_t size = 0;
  if (!tenon_parser_string(p, text, &size)) return false;
  if (strlen(*text) == size) return true;
  return tenon_parser_fail(p, &t, "a zero byte in a name");
}

bool tenon_parser_number(tenon_parser *p, tenon_text *out) {
  const char *begin = p->token.text.data;
  if (tenon_parser_accept(p, '-') && !p->token.is_glued)
    return tenon_parser_expected(p, "a number");
  if (p->token.kind != TENON_TOKEN_NUMBER && p->token.kind != TENON_TOKEN_WORD)
    return tenon_parser_expected(p, "a number");
  out->data = begin;
  out->size = (size_t)(p->token.text.data + p->token.text.size - begin);
  tenon_parser_next(p);
  return true;
}

bool tenon_parser_int(tenon_parser *p, int64_t *out) {
  const tenon_token t = p->token;
  tenon_text text;
  if (!tenon_parser_number(p, &text)) return false;
  if (tenon_text_int(text, out)) return true;
  return tenon_parser_fail(p, &t, "'%.*s' is no integer of 64 bits",
                           text.size > 40 ? 40 : (int)text.size, text.data);
}

bool tenon_parser_double(tenon_parser *p, double *out) {
  const tenon_token t = p->token;
  tenon_text text;
  if (!tenon_parser_number(p, &text)) return false;
  if (tenon_text_double(text, out)) return true;
  return tenon_parser_fail(p, &t, "'%.*s' is no number",
                           text.size > 40 ? 40 : (int)text.size, text.data);
}

bool tenon_parser_input(tenon_parser *p, uint16_t *out) {
  const tenon_token at = p->token;
  int64_t number = 0;
  if (!tenon_parser_int(p, &number)) return false;
  if (number < 0 || number > UINT16_MAX)
    return tenon_parser_fail(p, &at, "there is no input %lld",
                             (long long)number);
  *out = (uint16_t)number;
  return true;
}
