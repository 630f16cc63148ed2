// How: one character decides what a token is; comments and blanks are passed.
// Numbers are kept apart, so that 1e5f is no word.
#include "base/chars.h"
#include "emit/text/text_parts.h"

static void pass_comment(tenon_c_scan *s) {
  bool is_line = s->p[1] == '/';
  for (s->p += 2; s->p < s->end; ++s->p) {
    if (is_line && *s->p == '\n') return;
    if (!is_line && *s->p == '*' && s->p + 1 < s->end && s->p[1] == '/') {
      s->p += 2;
      return;
    }
  }
}

static void pass_blanks(tenon_c_scan *s) {
  while (s->p < s->end) {
    char c = *s->p, after = s->p + 1 < s->end ? s->p[1] : 0;
    if (c == '/' && (after == '/' || after == '*')) {
      pass_comment(s);
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
      s->at_line |= c == '\n';
      ++s->p;
    } else if (c == '\\' && after == '\n') {
      s->p += 2;
    } else {
      return;
    }
  }
}

static void pass_literal(tenon_c_scan *s) {
  char quote = *s->p;
  for (++s->p; s->p < s->end && *s->p != quote; ++s->p)
    if (*s->p == '\\' && s->p + 1 < s->end) ++s->p;
  if (s->p < s->end) ++s->p;
}

// To the end of the line, comments that go over lines included.
static void pass_directive(tenon_c_scan *s) {
  while (s->p < s->end && *s->p != '\n') {
    char after = s->p + 1 < s->end ? s->p[1] : 0;
    if (*s->p == '\\' && after == '\n')
      s->p += 2;
    else if (*s->p == '/' && (after == '/' || after == '*'))
      pass_comment(s);
    else if (*s->p == '"')
      pass_literal(s);
    else
      ++s->p;
  }
}

tenon_c_token tenon_c_next(tenon_c_scan *s, bool lines) {
  pass_blanks(s);
  tenon_c_token t = {0, {s->p, 0}};
  if (s->p >= s->end) return t;
  bool at_line = s->at_line;
  s->at_line = false;
  char c = *s->p;
  if (tenon_char_begins_name(c)) {
    t.kind = 'a';
    while (s->p < s->end && (tenon_char_is_in_name(*s->p)))
      ++s->p;
  } else if (tenon_char_is_digit(c)) {
    t.kind = '0';
    while (s->p < s->end && (tenon_char_is_in_name(*s->p) || *s->p == '.'))
      ++s->p;
  } else if (c == '"' || c == '\'') {
    t.kind = '"';
    pass_literal(s);
  } else if (c == '#' && at_line && lines) {
    t.kind = '#';
    pass_directive(s);
  } else if (c == '#' && s->p + 1 < s->end && s->p[1] == '#') {
    t.kind = '2';
    s->p += 2;
  } else {
    t.kind = c;
    ++s->p;
  }
  t.text.size = (size_t)(s->p - t.text.data);
  return t;
}
