// How: line by line, with a stack of the conditionals that are open. Two kinds
// are taken out: those on TENON_EMITTED, with the branch that is not for
// emission, and the guard of a public header. Everything else is copied as it
// is. Lines in block comments are no directives, so those are followed too.
#include <string.h>

#include "emit/emission.h"

// DEAD is a branch behind one that was kept: like DROPPED, to the end.
typedef enum level_kind { PLAIN, KEPT, DROPPED, DEAD, GUARD } level_kind;

#define DEPTH_MOST 64

typedef struct stripper {
  tenon_buf *out;
  bool is_header, in_comment, was_blank;
  bool is_guard_open;  // the #define of the guard is next
  bool has_directive;  // some have been seen
  unsigned depth;      // beyond DEPTH_MOST levels are plain
  unsigned n_dropped;  // DROPPED or DEAD among the levels
  uint8_t levels[DEPTH_MOST];
  char *include;
  size_t include_size;
} stripper;

// Headers printed before anything else.
static const char *const printed[] = {
    "float.h", "math.h", "stdbool.h", "stddef.h", "stdint.h", "string.h", NULL};
static const char *const replaced[] = {"tenon/base.h", "tenon/attr.h",
                                       "tenon/tensor.h", NULL};

static bool strip_is_among(const char *const *list, tenon_text word) {
  for (size_t i = 0; list[i]; ++i)
    if (tenon_text_is(word, list[i])) return true;
  return false;
}

static tenon_text strip_skip_blanks(tenon_text t) {
  while (t.size && (*t.data == ' ' || *t.data == '\t'))
    ++t.data, --t.size;
  return t;
}

static tenon_text strip_take_word(tenon_text *t) {
  *t = strip_skip_blanks(*t);
  tenon_text word = {t->data, 0};
  while (t->size && *t->data >= 'a' && *t->data <= 'z')
    ++t->data, --t->size, ++word.size;
  return word;
}

// --- following comments -----------------------------------------------------

// Walks a literal; `p` is at the opening quote.
static const char *skip_literal(const char *p, const char *end) {
  char quote = *p;
  for (++p; p < end && *p != quote; ++p)
    if (*p == '\\' && p + 1 < end) ++p;
  return p;
}

static void strip_follow(stripper *s, tenon_text line) {
  const char *end = line.data + line.size;
  for (const char *p = line.data; p < end; ++p) {
    char next = p + 1 < end ? p[1] : 0;
    if (s->in_comment) {
      if (*p == '*' && next == '/') s->in_comment = false, ++p;
    } else if (*p == '"' || *p == '\'') {
      p = skip_literal(p, end);
    } else if (*p == '/' && next == '/') {
      return;
    } else if (*p == '/' && next == '*') {
      s->in_comment = true;
      ++p;
    }
  }
}

// --- conditionals -----------------------------------------------------------

// `!defined ( TENON_EMITTED ) // why` as "!definedTENON_EMITTED"; empty when it
// is longer than anything of interest.
static void condense(tenon_text t, char out[32]) {
  size_t n = 0;
  for (size_t i = 0; i < t.size; ++i) {
    char c = t.data[i];
    if (c == '/') break;
    if (c == ' ' || c == '\t' || c == '(' || c == ')') continue;
    if (n == 31) {
      n = 0;
      break;
    }
    out[n++] = c;
  }
  out[n] = 0;
}

static level_kind strip_kind_of(const stripper *s, tenon_text word,
                                tenon_text rest) {
  char condition[32];
  condense(rest, condition);
  bool is_if = tenon_text_is(word, "if");
  const char *name = condition;
  bool is_negated = tenon_text_is(word, "ifndef");
  if (is_if && *name == '!') is_negated = true, ++name;
  if (is_if && strncmp(name, "defined", 7) != 0) return PLAIN;
  if (is_if) name += 7;
  if (strcmp(name, "TENON_EMITTED") == 0) return is_negated ? DROPPED : KEPT;
  if (s->is_header && !s->has_directive && is_negated && !is_if) return GUARD;
  // What emitted C defines in front of its headers.
  if (is_negated && strcmp(name, "TENON_KERNEL_LINKAGE") == 0) return DROPPED;
  return PLAIN;
}

static level_kind top(const stripper *s) {
  return s->depth && s->depth <= DEPTH_MOST
             ? (level_kind)s->levels[s->depth - 1]
             : PLAIN;
}

static bool strip_is_out(level_kind kind) {
  return kind == DROPPED || kind == DEAD;
}

static void set_top(stripper *s, level_kind kind) {
  if (s->depth == 0 || s->depth > DEPTH_MOST) return;
  if (strip_is_out(top(s))) --s->n_dropped;
  if (strip_is_out(kind)) ++s->n_dropped;
  s->levels[s->depth - 1] = (uint8_t)kind;
}

static void strip_push(stripper *s, level_kind kind) {
  unsigned depth = s->depth++;
  if (depth >= DEPTH_MOST) return;
  s->levels[depth] = PLAIN;
  set_top(s, kind);
}

static void strip_pop(stripper *s) {
  set_top(s, PLAIN);
  if (s->depth) --s->depth;
}

// --- lines ------------------------------------------------------------------

static bool take_include(stripper *s, tenon_text rest, bool *keep) {
  rest = strip_skip_blanks(rest);
  if (rest.size == 0) return true;
  char close = *rest.data == '"' ? '"' : '>';
  tenon_text name = {rest.data + 1, 0};
  while (name.size + 1 < rest.size && name.data[name.size] != close)
    ++name.size;
  if (close == '>') {
    *keep = !strip_is_among(printed, name);
    return true;
  }
  *keep = false;
  if (s->is_header || strip_is_among(replaced, name)) return true;
  size_t n = name.size < s->include_size ? name.size : s->include_size - 1;
  memcpy(s->include, name.data, n);
  s->include[n] = 0;
  return false;
}

// What is behind #elif where the branch before was for others.
static void add_condition(stripper *s, tenon_text rest) {
  tenon_buf_text(s->out, "#if");
  tenon_buf_add(s->out, rest.data, rest.size);
  tenon_buf_char(s->out, '\n');
}

static bool take_directive(stripper *s, tenon_text line, bool *keep) {
  tenon_text rest = strip_skip_blanks(line);
  ++rest.data, --rest.size;  // the #
  tenon_text word = strip_take_word(&rest);
  bool is_dropping = s->n_dropped > 0;
  *keep = !is_dropping;
  if (word.size >= 2 && memcmp(word.data, "if", 2) == 0) {
    level_kind kind = is_dropping ? PLAIN : strip_kind_of(s, word, rest);
    strip_push(s, kind);
    if (kind != PLAIN) *keep = false;
    s->is_guard_open = kind == GUARD;
  } else if (tenon_text_is(word, "endif")) {
    if (top(s) != PLAIN) *keep = false;
    strip_pop(s);
  } else if (tenon_text_is(word, "else") && top(s) != PLAIN) {
    set_top(s, top(s) == DROPPED ? KEPT : DEAD);
    *keep = false;
  } else if (tenon_text_is(word, "elif") && top(s) != PLAIN) {
    bool is_next = top(s) == DROPPED;
    set_top(s, is_next ? PLAIN : DEAD);
    if (is_next && s->n_dropped == 0) add_condition(s, rest);
    *keep = false;
  } else if (tenon_text_is(word, "define") && s->is_guard_open) {
    *keep = false;
    s->is_guard_open = false;
  } else if (tenon_text_is(word, "include") && !is_dropping) {
    return take_include(s, rest, keep);
  }
  s->has_directive = true;
  return true;
}

static void strip_put_line(stripper *s, tenon_text line) {
  bool is_blank = strip_skip_blanks(line).size == 0;
  if (!is_blank || !s->was_blank) {
    tenon_buf_add(s->out, line.data, is_blank ? 0 : line.size);
    tenon_buf_char(s->out, '\n');
  }
  s->was_blank = is_blank;
}

bool tenon_emit_strip(tenon_buf *out, const char *text, bool is_header,
                      char *include, size_t size) {
  stripper s = {0};
  s.out = out;
  s.is_header = is_header;
  s.was_blank = true;
  s.include = include;
  s.include_size = size;
  bool is_continued = false, keep = true;
  while (*text) {
    const char *end = strchr(text, '\n');
    tenon_text line = {text, end ? (size_t)(end - text) : strlen(text)};
    text = end ? end + 1 : line.data + line.size;
    if (line.size && line.data[line.size - 1] == '\r') --line.size;
    tenon_text first = strip_skip_blanks(line);
    bool is_directive = !s.in_comment && first.size && *first.data == '#';
    if (!is_continued) keep = s.n_dropped == 0;
    if (is_directive && !is_continued && !take_directive(&s, line, &keep))
      return false;
    strip_follow(&s, line);
    is_continued = line.size && line.data[line.size - 1] == '\\';
    if (keep) strip_put_line(&s, line);
  }
  return true;
}
