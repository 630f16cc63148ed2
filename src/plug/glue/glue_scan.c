// How: outside of all braces, a name with brackets behind it and then a brace
// begins a function. Comments, literals and directives are stepped over. What a
// macro defines is not seen; it counts as coming from elsewhere.
#include <string.h>

#include "base/chars.h"
#include "plug/bindings.h"

// The place behind what is no code at `at`, or `at` itself.
static size_t glue_scan_skip(tenon_text t, size_t at) {
  const char *p = t.data;
  if (p[at] == '"' || p[at] == '\'') {
    char quote = p[at];
    for (++at; at < t.size && p[at] != quote && p[at] != '\n'; ++at)
      if (p[at] == '\\') ++at;
    return at < t.size ? at + 1 : t.size;
  }
  if (p[at] == '/' && at + 1 < t.size && p[at + 1] == '*') {
    for (at += 2; at + 1 < t.size && (p[at] != '*' || p[at + 1] != '/'); ++at) {
    }
    return at + 2 < t.size ? at + 2 : t.size;
  }
  bool is_line =
      (p[at] == '/' && at + 1 < t.size && p[at + 1] == '/') || p[at] == '#';
  while (is_line && at < t.size && p[at] != '\n')
    at += p[at] == '\\' && at + 1 < t.size ? 2 : 1;
  return at < t.size ? at : t.size;
}

static size_t glue_scan_skip_blanks(tenon_text t, size_t at) {
  while (at < t.size) {
    size_t next =
        strchr(" \t\r\n", t.data[at]) ? at + 1 : glue_scan_skip(t, at);
    if (next == at || t.data[at] == '"' || t.data[at] == '\'') return at;
    at = next;
  }
  return at;
}

// Behind the bracket that closes the one at `at`.
static size_t glue_scan_skip_balanced(tenon_text t, size_t at, char open,
                                      char close) {
  int depth = 0;
  while (at < t.size) {
    size_t next = glue_scan_skip(t, at);
    if (next != at) {
      at = next;
      continue;
    }
    depth += (t.data[at] == open) - (t.data[at] == close);
    ++at;
    if (depth == 0) return at;
  }
  return at;
}

bool tenon_glue_function(tenon_text t, size_t *at, tenon_text *name) {
  tenon_text word = {NULL, 0};
  size_t i = *at;
  while (i < t.size) {
    size_t next = glue_scan_skip(t, i);
    char c = t.data[i];
    if (next != i) {
      i = next;
    } else if (tenon_char_begins_name(c)) {
      word = (tenon_text){t.data + i, 0};
      while (i < t.size && tenon_char_is_in_name(t.data[i]))
        ++i, ++word.size;
    } else if (c == '(') {
      size_t after = glue_scan_skip_balanced(t, i, '(', ')');
      i = glue_scan_skip_blanks(t, after);
      if (i < t.size && t.data[i] == '{' && word.data) {
        *name = word;
        *at = glue_scan_skip_balanced(t, i, '{', '}');
        return true;
      }
      word.data = NULL;
    } else if (c == '{') {
      i = glue_scan_skip_balanced(t, i, '{', '}');
    } else {
      if (!strchr(" \t\r\n", c)) word.data = NULL;
      ++i;
    }
  }
  *at = i;
  return false;
}

bool tenon_glue_defines(const tenon_bindings *b, const char *function) {
  for (const tenon_bind_file *f = b->sources; f; f = f->next) {
    tenon_text name;
    for (size_t at = 0; tenon_glue_function(f->text, &at, &name);)
      if (tenon_text_is(name, function)) return true;
  }
  return false;
}
