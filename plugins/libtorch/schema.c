// How: types and names are words, what stands between them are brackets; a
// default may have any, and is skipped to the comma that is outside of all.
#include "schema.h"

#include <string.h>

static const struct {
  const char *name;
  argument_kind kind;
} kinds[] = {
    {"Tensor", ARGUMENT_TENSOR},    {"int", ARGUMENT_INT},
    {"SymInt", ARGUMENT_INT},       {"float", ARGUMENT_FLOAT},
    {"bool", ARGUMENT_BOOL},        {"str", ARGUMENT_STR},
    {"ScalarType", ARGUMENT_DTYPE}, {"Layout", ARGUMENT_LAYOUT},
    {"Device", ARGUMENT_DEVICE},    {"MemoryFormat", ARGUMENT_MEMORY_FORMAT},
    {"Scalar", ARGUMENT_NUMBER},
};

bool schema_name(const char *schema, char name[128], char overload[128]) {
  size_t size = strcspn(schema, ".(");
  const char *rest = schema + size;
  size_t more = *rest == '.' ? strcspn(rest + 1, "(") : 0;
  if (size >= 128 || more >= 128) return false;
  memcpy(name, schema, size);
  name[size] = 0;
  memcpy(overload, rest + (*rest == '.'), more);
  overload[more] = 0;
  return true;
}

const char *schema_arguments(const char *schema) {
  const char *open = strchr(schema, '(');
  return open ? open + 1 : NULL;
}

const char *schema_results(const char *schema) {
  const char *arrow = NULL, *at = schema;
  while ((at = strstr(at, "-> ")) != NULL)
    arrow = at += 3;  // the last one: alias sets have arrows, too
  if (!arrow) return NULL;
  return *arrow == '(' ? arrow + 1 : arrow;
}

static size_t word(const char *at) {
  size_t n = 0;
  while ((at[n] >= 'a' && at[n] <= 'z') || (at[n] >= 'A' && at[n] <= 'Z') ||
         (at[n] >= '0' && at[n] <= '9') || at[n] == '_' || at[n] == '.')
    ++n;
  return n;
}

static argument_kind kind_of(const char *at, size_t size) {
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i)
    if (strlen(kinds[i].name) == size && memcmp(kinds[i].name, at, size) == 0)
      return kinds[i].kind;
  return ARGUMENT_OTHER;
}

// (a!), [], [2], ? in the order in which they stand.
static const char *suffixes(const char *at, argument *out) {
  for (;; ++at) {
    const char *end = NULL;
    if (*at == '(') {
      end = strchr(at, ')');
      if (!end) return NULL;
      out->is_written = memchr(at, '!', (size_t)(end - at)) != NULL;
      at = end;
    } else if (*at == '[') {
      end = strchr(at, ']');
      if (!end || out->is_list) return NULL;
      out->is_list = true;
      out->has_optional_elements = out->is_optional;
      out->is_optional = false;
      at = end;
    } else if (*at == '?') {
      out->is_optional = true;
    } else {
      return at;
    }
  }
}

// To the end of the text that begins here; a backslash is for what follows.
static const char *skip_text(const char *at) {
  for (char quote = *at++; *at && *at != quote; ++at)
    if (*at == '\\' && *++at == 0) return NULL;
  return *at ? at : NULL;
}

// Behind the default, up to the comma or the parenthesis.
static const char *skip_default(const char *at) {
  int depth = 0;
  for (; *at; ++at) {
    if (*at == '\'' || *at == '"') {
      at = skip_text(at);
      if (!at) return NULL;
      continue;
    }
    if (depth == 0 && (*at == ',' || *at == ')')) return at;
    depth += (*at == '[' || *at == '(') - (*at == ']' || *at == ')');
  }
  return at;
}

bool schema_next(const char **at, argument *out) {
  const char *p = *at;
  memset(out, 0, sizeof *out);
  if (!p) return false;
  p += strspn(p, " ,");
  if (*p == '*' && p[1] == ',') p += 2 + strspn(p + 2, " ");
  if (*p == ')' || *p == 0) {
    *at = p;
    return false;
  }
  size_t size = word(p);
  *at = NULL;
  if (size == 0 || size + 6 >= sizeof out->type) return false;
  out->kind = kind_of(p, size);
  memcpy(out->type, p, size);
  p = suffixes(p + size, out);
  if (!p) return false;
  if (out->has_optional_elements) strcat(out->type, "?");
  if (out->is_list) strcat(out->type, "[]");
  if (out->is_optional) strcat(out->type, "?");
  p += strspn(p, " ");
  size = word(p);
  if (size >= sizeof out->name) return false;
  memcpy(out->name, p, size);
  p += size;
  if (*p == '=') p = skip_default(p + 1);
  *at = p;
  return p != NULL;
}
