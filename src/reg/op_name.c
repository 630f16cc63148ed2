// reg/op_name.c - names of operators: reserved sets, wildcards, what may be
// replaced.
//
// The grammar of a whole name is the schema parser's (core/schema/schema.h).
// Here a name is known to be one, or a user typed it; nothing allocates, since
// a frozen context is asked by several threads.
#include <string.h>

#include "base/text.h"
#include "reg/store.h"

const char *tenon_reserved_set(size_t i) {
  static const char *const reserved[] = {
      "core", "tfl", "aten", "prim", "higher_order", "quantized_decomposed"};
  return i < sizeof reserved / sizeof *reserved ? reserved[i] : NULL;
}

bool tenon_name_is_reserved(const char *set, size_t size) {
  const char *reserved = NULL;
  tenon_text t = {set, size};
  for (size_t i = 0; (reserved = tenon_reserved_set(i)) != NULL; ++i) {
    if (tenon_text_is(t, reserved)) return true;
  }
  return false;
}

bool tenon_name_is_wildcard(const char *name) {
  return strcmp(name, "*") == 0 || tenon_text_ends(name, "::*") ||
         tenon_text_ends(name, ".*");
}

int tenon_name_covers(const char *pattern, const char *name) {
  size_t size = strlen(pattern);
  if (strcmp(pattern, "*") == 0) return 3;
  // Most do not begin alike, which is quickly seen.
  if (size >= 2 && strncmp(pattern, name, size - 2) != 0) return -1;
  if (!tenon_name_is_wildcard(pattern))
    return strcmp(pattern, name) == 0 ? 0 : -1;
  if (pattern[size - 2] == ':')
    return strncmp(pattern, name, size - 1) == 0 ? 2 : -1;
  // "ns::name.*" also covers the overload without a name.
  return name[size - 2] == 0 || name[size - 2] == '.' ? 1 : -1;
}

bool tenon_name_normal(const char *text, char *out, size_t size) {
  size_t length = strlen(text);
  const char *dot = strchr(text, '.');
  bool is_short = !strstr(text, "::") && dot && dot != text;
  if (length + 2 > size) return false;
  if (is_short) {
    size_t set = (size_t)(dot - text);
    memcpy(out, text, set);
    memcpy(out + set, "::", 2);
    memcpy(out + set + 2, dot + 1, length - set);
  } else {
    memcpy(out, text, length + 1);
  }
  if (tenon_text_ends(out, ".default") && strstr(out, "::"))
    out[strlen(out) - strlen(".default")] = 0;
  return true;
}

bool tenon_context_allows(const tenon_context *cx, const char *name) {
  char normal[512];
  for (const char *const *o = cx->overrides; o && *o; ++o) {
    if (strcmp(*o, name) == 0) return true;
    if (!tenon_name_normal(*o, normal, sizeof normal)) continue;
    if (strcmp(normal, name) == 0 || tenon_name_covers(normal, name) >= 0)
      return true;
  }
  return false;
}
