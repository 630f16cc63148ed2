// package_parts.c - layouts that are data: files are placed by role, and texts
// measured, then written.
#include <string.h>

#include "package/package.h"

#define TRY(call)                                            \
  do {                                                       \
    tenon_status package_status_ = (call);                   \
    if (package_status_ != TENON_OK) return package_status_; \
  } while (0)

static const char *parts_folder_of(const tenon_layout *l, uint32_t role) {
  switch (role) {
    case TENON_PACKAGE_HEADER:
      return l->include;
    case TENON_PACKAGE_SOURCE:
    case TENON_PACKAGE_CONSTANTS:
      return l->source;
    case TENON_PACKAGE_TEST:
      return l->test;
    default:
      return NULL;
  }
}

static const char *parts_value_of(tenon_packaging *p, const tenon_parts *parts,
                                  char letter) {
  switch (letter) {
    case 'p':
      return parts->prefix;
    case 'P':
      return parts->upper;
    case 'f':
      return parts->cflags;
    case 'v':
      return p->api->about(p, TENON_PACKAGE_VERSION);
    case 'l':
      return p->api->about(p, TENON_PACKAGE_LICENSE);
    case 'u':
    case 'U':
      return p->api->about(p, TENON_PACKAGE_URL);
    case 'a':
      return p->api->about(p, TENON_PACKAGE_AUTHOR);
    case 'c':
      return "recorded_case";
    default:
      return "%";
  }
}

// The text with its values, to `to` unless that is null; its bytes.
static size_t parts_fill(tenon_packaging *p, const tenon_parts *parts,
                         const char *text, char *to) {
  size_t n = 0;
  bool is_left_out = false;
  for (; *text; ++text) {
    const char one[2] = {*text, 0}, *value = one;
    const char letter = *text == '%' ? *++text : 0;
    if (letter && strchr("()[]", letter)) {
      is_left_out = letter == (parts->has_test ? '[' : '(');
      continue;
    }
    if (letter) value = parts_value_of(p, parts, letter);
    for (; *value && !is_left_out; ++value) {
      const char own[2] = {*value, 0};
      const char *put = letter == 'U' && *value == '&' ? "&amp;" : own;
      if (to) memcpy(to + n, put, strlen(put));
      n += strlen(put);
    }
  }
  return n;
}

// Null: no memory.
static const char *parts_text(tenon_packaging *p, const tenon_parts *parts,
                              const char *text) {
  const size_t n = parts_fill(p, parts, text, NULL);
  char *made = (char *)(uintptr_t)p->api->format(p, "%*s", (int)n, "");
  if (made) (void)parts_fill(p, parts, text, made);
  return made;
}

static tenon_status parts_place(tenon_packaging *p, const tenon_layout *l,
                                tenon_parts *parts) {
  const tenon_package_file *f;
  for (size_t i = 0; (f = p->api->file(p, i)) != NULL; ++i) {
    const bool is_test = f->role == TENON_PACKAGE_TEST;
    const char *folder = parts_folder_of(l, f->role);
    const char *name = is_test && l->test_name ? l->test_name : f->name;
    parts->has_test |= is_test;
    const char *path = parts_text(p, parts, folder ? folder : "");
    if (path) path = p->api->format(p, "%s%s%s", path, folder ? "/" : "", name);
    if (!path) return p->api->add(p, NULL, NULL);  // no memory
    TRY(p->api->place(p, i, path));
  }
  return TENON_OK;
}

tenon_status tenon_package_lay_out(tenon_packaging *p) {
  const tenon_layout *l = (const tenon_layout *)p->api->user(p);
  tenon_parts parts = {.prefix = p->api->prefix(p),
                       .cflags = p->api->cflags(p)};
  char *upper = (char *)(uintptr_t)p->api->format(p, "%s", parts.prefix);
  if (!upper) return p->api->add(p, NULL, NULL);  // no memory
  parts.upper = upper;
  for (char *c = upper; *c; ++c)
    if (*c >= 'a' && *c <= 'z') *c = (char)(*c - 'a' + 'A');
  TRY(parts_place(p, l, &parts));
  if (l->check) TRY(l->check(p, &parts));
  for (size_t i = 0; l->texts[i].path; ++i) {
    const char *path = parts_text(p, &parts, l->texts[i].path);
    if (path && !*path) continue;
    TRY(p->api->add(p, path, parts_text(p, &parts, l->texts[i].text)));
  }
  return l->building ? p->api->building(p, parts_text(p, &parts, l->building))
                     : TENON_OK;
}
