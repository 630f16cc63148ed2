// package_parts.c - placing files by role.
#include "package/package.h"

static const char *folder_of(const tenon_parts *parts, uint32_t role) {
  switch (role) {
    case TENON_PACKAGE_HEADER:
      return parts->include;
    case TENON_PACKAGE_SOURCE:
    case TENON_PACKAGE_CONSTANTS:
      return parts->source;
    case TENON_PACKAGE_TEST:
      return parts->test;
    case TENON_PACKAGE_MANUAL:
      return parts->manual;
    default:
      return "";
  }
}

// "KWS" of "kws"; null: no memory.
static const char *upper_of(tenon_packaging *p, const char *prefix) {
  char *text = (char *)(uintptr_t)p->api->format(p, "%s", prefix);
  for (char *c = text; c && *c; ++c)
    if (*c >= 'a' && *c <= 'z') *c = (char)(*c - 'a' + 'A');
  return text;
}

tenon_status tenon_parts_place(tenon_packaging *p, tenon_parts *parts) {
  const tenon_package_file *f;
  parts->prefix = p->api->prefix(p);
  parts->cflags = p->api->cflags(p);
  parts->upper = upper_of(p, parts->prefix);
  if (!parts->upper) return p->api->add(p, NULL, NULL);  // no memory
  for (size_t i = 0; (f = p->api->file(p, i)) != NULL; ++i) {
    const char *folder = folder_of(parts, f->role), *path = NULL;
    const char *name = f->name;
    if (f->role == TENON_PACKAGE_TEST) {
      parts->has_test = folder != NULL;
      if (parts->test_name) name = parts->test_name;
    }
    if (folder)
      path = p->api->format(p, "%s%s%s", folder, *folder ? "/" : "", name);
    if (folder && !path) return p->api->add(p, NULL, NULL);  // no memory
    TENON_PACKAGE_TRY(p->api->place(p, i, path));
  }
  return TENON_OK;
}
