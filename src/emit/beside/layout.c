// How: the packager talks to a table of methods that only fill in this struct;
// paths are compared when it has returned, each with those before it, since a
// package has a dozen files.
#include "emit/beside/layout.h"

#include <stdarg.h>
#include <string.h>

#include "reg/context.h"

// --- which packager ---------------------------------------------------------

static const tenon_context *context_of(const tenon_emission *e) {
  return (const tenon_context *)e->p->keep;
}

static tenon_status layout_unknown(const tenon_emission *e, const char *name) {
  const tenon_context *cx = context_of(e);
  tenon_nearest near;
  tenon_buf all;
  tenon_nearest_init(&near, name);
  tenon_buf_init(&all, e->allocator);
  for (size_t i = 0;
       cx && i < tenon_registry_count(cx, TENON_REGISTRY_PACKAGES); ++i) {
    const char *other = tenon_registry_at(cx, TENON_REGISTRY_PACKAGES, i)->name;
    tenon_nearest_feed(&near, other);
    tenon_buf_format(&all, "%s'%s'", i ? ", " : "", other);
  }
  tenon_status status =
      all.failed ? tenon_emission_memory(e)
                 : tenon_fail(e->report, TENON_BAD_ARGUMENT, "emit-package",
                              NULL, "no package '%s'%s%s%s; there are %s", name,
                              near.best ? "; did you mean '" : "",
                              near.best ? near.best : "", near.best ? "'" : "",
                              all.size ? all.data : "none");
  tenon_buf_deinit(&all);
  return status;
}

tenon_status tenon_layout_choose(tenon_emission *e) {
  static const tenon_package_desc plain = {.struct_size = sizeof plain};
  const char *name = e->options.package;
  const tenon_context *cx = context_of(e);
  e->package = &plain;
  if (!name) return TENON_OK;
  const tenon_extension *found =
      cx ? tenon_registry_find(cx, TENON_REGISTRY_PACKAGES, name) : NULL;
  if (!found) return layout_unknown(e, name);
  e->package = (const tenon_package_desc *)found->desc;
  e->is_single = (e->package->flags & TENON_PACKAGE_SINGLE) != 0;
  return TENON_OK;
}

// --- what a packager may do -------------------------------------------------

static tenon_layout *layout_of(const tenon_packaging *p) {
  return (tenon_layout *)(void *)p;
}

static const char *prefix(const tenon_packaging *p) {
  return layout_of(p)->e->prefix;
}
static const char *cflags(const tenon_packaging *p) {
  return layout_of(p)->cflags;
}
static const void *user(const tenon_packaging *p) {
  return layout_of(p)->e->package->user;
}

static const tenon_package_file *file(const tenon_packaging *p, size_t i) {
  tenon_layout *l = layout_of(p);
  return i < l->n_files ? &l->files[i] : NULL;
}

static tenon_status fault(const tenon_layout *l, const char *what,
                          const char *path) {
  return tenon_fail(l->e->report, TENON_BAD_PLUGIN, "emit-layout", NULL,
                    "package '%s': %s '%s'", l->e->package->name, what,
                    path ? path : "");
}

// Relative, and within the folder that the user named.
static bool is_path(const char *path) {
  const char *part = path;
  if (!*path || strchr(path, '\\') || strchr(path, ':')) return false;
  for (;;) {
    size_t n = strcspn(part, "/");
    if (n == 0 || (n == 1 && *part == '.') ||
        (n == 2 && part[0] == '.' && part[1] == '.'))
      return false;
    if (!part[n]) return true;
    part += n + 1;
  }
}

static tenon_status layout_place(tenon_packaging *p, size_t i,
                                 const char *path) {
  tenon_layout *l = layout_of(p);
  if (i >= l->n_files)
    return fault(l, "there is no such file to place at", path);
  if (path && !is_path(path))
    return fault(l, "this is no relative path:", path);
  l->places[i] = path ? tenon_arena_string(&l->e->arena, path) : NULL;
  return path && !l->places[i] ? tenon_emission_memory(l->e) : TENON_OK;
}

static tenon_status layout_add(tenon_packaging *p, const char *path,
                               const char *text) {
  tenon_layout *l = layout_of(p);
  tenon_layout_text *t = tenon_arena_array(&l->e->arena, tenon_layout_text, 1);
  if (!t || !path || !text) return tenon_emission_memory(l->e);
  if (!is_path(path)) return fault(l, "this is no relative path:", path);
  t->path = tenon_arena_string(&l->e->arena, path);
  t->text = tenon_arena_string(&l->e->arena, text);
  if (!t->path || !t->text) return tenon_emission_memory(l->e);
  t->next = NULL;
  *l->last = t;
  l->last = &t->next;
  return TENON_OK;
}

static const char *layout_format(tenon_packaging *p, const char *fmt, ...) {
  tenon_layout *l = layout_of(p);
  tenon_buf text;
  va_list args;
  tenon_buf_init(&text, l->e->allocator);
  tenon_buf_text(&text, "");
  va_start(args, fmt);
  tenon_buf_vformat(&text, fmt, args);
  va_end(args);
  const char *out =
      text.failed ? NULL : tenon_arena_text(&l->e->arena, text.data, text.size);
  tenon_buf_deinit(&text);
  return out;
}

static tenon_status layout_fail(tenon_packaging *p, const char *fmt, ...) {
  tenon_layout *l = layout_of(p);
  tenon_buf text;
  va_list args;
  tenon_buf_init(&text, l->e->allocator);
  va_start(args, fmt);
  tenon_buf_vformat(&text, fmt, args);
  va_end(args);
  tenon_status status =
      text.failed
          ? tenon_emission_memory(l->e)
          : tenon_fail(l->e->report, TENON_BAD_ARGUMENT, "emit-layout", NULL,
                       "package '%s': %s", l->e->package->name, text.data);
  tenon_buf_deinit(&text);
  return status;
}

static const char *about(tenon_packaging *p, uint32_t what) {
  return tenon_layout_about(layout_of(p), what);
}

static tenon_status building(tenon_packaging *p, const char *text) {
  tenon_emission *e = layout_of(p)->e;
  e->building = text ? tenon_arena_string(&e->arena, text) : NULL;
  return e->building ? TENON_OK : tenon_emission_memory(e);
}

static const tenon_packaging_api methods = {
    .struct_size = sizeof methods,
    .prefix = prefix,
    .cflags = cflags,
    .file = file,
    .place = layout_place,
    .add = layout_add,
    .format = layout_format,
    .fail = layout_fail,
    .user = user,
    .about = about,
    .building = building,
};

// --- asking it --------------------------------------------------------------

void tenon_layout_open(tenon_layout *l, tenon_emission *e) {
  memset(l, 0, sizeof *l);
  l->base.api = &methods;
  l->e = e;
  l->last = &l->first;
}

void tenon_layout_list(tenon_layout *l, const char *name, uint32_t role) {
  l->files[l->n_files].name = name;
  l->files[l->n_files].role = role;
  l->places[l->n_files++] = name;
}

static bool layout_is_taken(const tenon_layout *l, size_t i,
                            const tenon_layout_text *end, const char *path) {
  for (size_t k = 0; k < i; ++k)
    if (l->places[k] && strcmp(l->places[k], path) == 0) return true;
  for (const tenon_layout_text *t = l->first; end && t != end; t = t->next)
    if (strcmp(t->path, path) == 0) return true;
  return false;
}

static tenon_status check_paths(const tenon_layout *l) {
  for (size_t i = 0; i < l->n_files; ++i)
    if (l->places[i] && layout_is_taken(l, i, NULL, l->places[i]))
      return fault(l, "two files are called", l->places[i]);
  for (const tenon_layout_text *t = l->first; t; t = t->next)
    if (layout_is_taken(l, l->n_files, t, t->path))
      return fault(l, "two files are called", t->path);
  return TENON_OK;
}

tenon_status tenon_layout_ask(tenon_layout *l) {
  tenon_emission *e = l->e;
  tenon_buf flags;
  TENON_TRY(tenon_layout_read_about(l));
  if (!e->package->lay_out) return TENON_OK;
  tenon_buf_init(&flags, e->allocator);
  tenon_emit_flags(e, &flags);
  l->cflags =
      flags.failed ? NULL : tenon_arena_text(&e->arena, flags.data, flags.size);
  tenon_buf_deinit(&flags);
  if (!l->cflags) return tenon_emission_memory(e);
  TENON_TRY(e->package->lay_out(&l->base));
  tenon_layout_warn(l);
  if (tenon_emission_failed(e)) return tenon_emission_memory(e);
  return check_paths(l);
}

tenon_status tenon_layout_write(const tenon_layout *l, tenon_write_fn *write,
                                void *self) {
  for (const tenon_layout_text *t = l->first; t; t = t->next)
    TENON_TRY(write(self, t->path, t->text, strlen(t->text)));
  return TENON_OK;
}
