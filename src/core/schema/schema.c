// core/schema/schema.c - names of operators, looking into a schema, its types.
//
// Arguments of one schema are few, so lookups walk.
#include "core/schema/schema.h"
#include "base/chars.h"

#include <stdio.h>
#include <string.h>

#include "core/cursor.h"

// ---------------------------------------------------------------------------
// Names
// ---------------------------------------------------------------------------

// A C identifier, or `*` where that is allowed.
static bool schema_check_is_name(tenon_text t, bool may_be_wildcard) {
  if (may_be_wildcard && tenon_text_is(t, "*")) return true;
  if (t.size == 0 || !tenon_char_begins_name(t.data[0])) return false;
  for (size_t i = 0; i < t.size; ++i) {
    if (!tenon_char_begins_name(t.data[i]) &&
        (t.data[i] < '0' || t.data[i] > '9'))
      return false;
  }
  return true;
}

bool tenon_name_parse(tenon_arena *arena, const char *text, const char **name,
                      const char **set, const char **base,
                      const char **overload) {
  const char *colons = strstr(text, "::");
  if (!colons) return false;
  tenon_text first = {text, (size_t)(colons - text)};
  const char *second = colons + 2, *dot = strchr(second, '.');
  tenon_text middle = {second, dot ? (size_t)(dot - second) : strlen(second)};
  tenon_text last = tenon_text_of(dot ? dot + 1 : "");
  if (!schema_check_is_name(first, false) ||
      !schema_check_is_name(middle, !dot))
    return false;
  if (dot && !schema_check_is_name(last, true)) return false;
  if (tenon_text_is(last, "default")) last.size = 0;
  size_t whole = first.size + 2 + middle.size;
  if (last.size > 0) whole += 1 + last.size;
  const char *parts[4] = {
      tenon_arena_text(arena, text, whole),
      tenon_arena_text(arena, first.data, first.size),
      tenon_arena_text(arena, middle.data, middle.size),
      tenon_arena_text(arena, last.data, last.size),
  };
  if (!parts[0] || !parts[1] || !parts[2] || !parts[3]) return false;
  *name = parts[0];
  *set = parts[1];
  *base = parts[2];
  *overload = parts[3];
  return true;
}

// ---------------------------------------------------------------------------
// Looking
// ---------------------------------------------------------------------------

static const tenon_argument *nth(const tenon_schema *s, int i, bool tensors) {
  for (int j = 0; i >= 0 && j < s->n_args; ++j) {
    if ((s->args[j].base == TENON_BASE_TENSOR) != tensors) continue;
    if (i-- == 0) return &s->args[j];
  }
  return NULL;
}

const tenon_argument *tenon_schema_tensor(const tenon_schema *s, int i) {
  return nth(s, i, true);
}

const tenon_argument *tenon_schema_attr(const tenon_schema *s, int i) {
  return nth(s, i, false);
}

const tenon_argument *tenon_schema_find(const tenon_schema *s,
                                        const char *name) {
  for (int i = 0; i < s->n_args; ++i) {
    if (strcmp(s->args[i].name, name) == 0) return &s->args[i];
  }
  return NULL;
}

// ---------------------------------------------------------------------------
// Types
// ---------------------------------------------------------------------------

// Where a word stands in a text as a type: a name may follow, or what belongs
// to it; behind the arrow, the end too.
static size_t find_type(const char *text, const char *word, bool is_result) {
  size_t size = strlen(word);
  for (const char *p = text; (p = strstr(p, word)) != NULL; ++p) {
    bool begins = p == text || !(tenon_char_begins_name(p[-1]) ||
                                 strchr("0123456789:.", p[-1]));
    bool ends = strchr(is_result ? " [?()," : " [?(", p[size]) != NULL;
    if (begins && ends && (p[size] || is_result)) return (size_t)(p - text);
  }
  return 0;
}

// Containers, tuples and classes ("__torch__...") are left as they are.
static const char *schema_check_type(const tenon_argument *a, char word[64],
                                     tenon_nearest *near) {
  static const char *const names[] = {"Tensor",
                                      "int",
                                      "SymInt",
                                      "float",
                                      "SymFloat",
                                      "bool",
                                      "SymBool",
                                      "str",
                                      "Scalar",
                                      "number",
                                      "complex",
                                      "ScalarType",
                                      "Device",
                                      "DeviceIndex",
                                      "Layout",
                                      "MemoryFormat",
                                      "Dimname",
                                      "Generator",
                                      "Stream",
                                      "Storage",
                                      "QScheme",
                                      "None",
                                      "NoneType",
                                      "Any",
                                      "AnyEnumType",
                                      "AnyClassType",
                                      "ConstQuantizerPtr",
                                      "Capsule",
                                      NULL};
  size_t size = strcspn(a->type_text, "?[(.");
  if (a->base != TENON_BASE_NAME || size == 0) return NULL;
  if (a->type_text[size] == '(' || a->type_text[size] == '.') return NULL;
  if (a->type_text[0] == 't' && size <= 4) return NULL;  // t, tVal: variables
  snprintf(word, 64, "%.*s", size > 63 ? 63 : (int)size, a->type_text);
  tenon_nearest_init(near, word);
  for (size_t i = 0; names[i]; ++i) {
    if (strcmp(word, names[i]) == 0) return NULL;
    tenon_nearest_feed(near, names[i]);
  }
  return word;
}

bool tenon_schema_check_types(const tenon_schema *s, const char *text,
                              char *error, size_t size, size_t *at) {
  char word[64];
  tenon_nearest near;
  for (int i = 0; i < s->n_args + s->n_returns; ++i) {
    const tenon_argument *a =
        i < s->n_args ? &s->args[i] : &s->returns[i - s->n_args];
    if (!schema_check_type(a, word, &near)) continue;
    const char *arrow = strstr(text, "->");
    size_t from = i >= s->n_args && arrow ? (size_t)(arrow - text) : 0;
    *at = from + find_type(text + from, word, i >= s->n_args);
    snprintf(error, size, "'%s' is no type of a schema%s%s%s", word,
             TENON_DID_YOU_MEAN(near.best));
    return false;
  }
  return true;
}

void tenon_name_ident(const char *name, tenon_buf *out) {
  for (const char *p = name; *p; ++p) {
    if (p[0] == ':' && p[1] == ':') ++p;
    if (*p == '.') tenon_buf_char(out, '_');
    tenon_buf_char(out, *p == ':' || *p == '.' ? '_' : *p);
  }
}
