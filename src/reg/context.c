// reg/context.c - one block for the context, one arena for what it learns.
//
// The context, its registry and the map of names are separate blocks of the
// allocator; everything else lies in the arena. When the last reference goes,
// images are closed first, in the reverse order of their opening, while the
// descriptors that point into them are not looked at any more.
#include "reg/context.h"

#include <string.h>

#include "base/heap.h"
#include "reg/catalog.h"
#include "reg/store.h"

static tenon_status admit_options(const tenon_context_options *in,
                                  tenon_context_options *out) {
  memset(out, 0, sizeof *out);
  if (!in) return TENON_OK;
  tenon_report report = {TENON_HAS(in, diag) ? in->diag : (tenon_diag_sink){0}};
  if (!tenon_admit(out, sizeof *out, in)) {
    return tenon_fail(&report, TENON_BAD_ARGUMENT, "context-options", NULL,
                      "options of %u bytes use members past our %zu",
                      (unsigned)in->struct_size, sizeof *out);
  }
  report.sink = out->diag;
  if (out->flags & ~(uint32_t)TENON_CONTEXT_LOAD_PLUGINS) {
    return tenon_fail(&report, TENON_BAD_ARGUMENT, "context-options", NULL,
                      "unknown flags 0x%x in the options of a context",
                      (unsigned)(out->flags & ~1u));
  }
  return TENON_OK;
}

static bool copy_overrides(tenon_context *cx, const char *const *overrides) {
  size_t count = 0;
  if (!overrides) return true;
  while (overrides[count])
    ++count;
  const char **copy = tenon_arena_array(&cx->arena, const char *, count + 1);
  if (!copy) return false;
  for (size_t i = 0; i < count; ++i)
    copy[i] = tenon_arena_string(&cx->arena, overrides[i]);
  cx->overrides = copy;
  return !cx->arena.failed;
}

static bool context_fill(tenon_context *cx, const tenon_context_options *o) {
  cx->registry = tenon_registry_create(&cx->allocator);
  cx->catalogs = tenon_alloc(&cx->allocator, sizeof *cx->catalogs,
                             _Alignof(tenon_catalog_state));
  if (cx->catalogs) tenon_catalogs_init(cx->catalogs, cx->allocator);
  if (!cx->registry || !cx->catalogs) return false;
  cx->flags = o->flags;
  cx->compiler =
      tenon_arena_string(&cx->arena, o->compiler ? o->compiler : "cc");
  cx->cache_dir = tenon_arena_string(&cx->arena, o->cache_dir);
  cx->features = tenon_arena_string(&cx->arena, o->features);
  return copy_overrides(cx, o->overrides) && !cx->arena.failed;
}

tenon_status tenon_context_init(const tenon_context_options *options,
                                tenon_context **out) {
  tenon_context_options o;
  *out = NULL;
  TENON_TRY(admit_options(options, &o));
  tenon_allocator allocator = o.allocator.resize ? o.allocator : tenon_heap();
  tenon_report report = {o.diag};
  tenon_context *cx =
      tenon_alloc(&allocator, sizeof *cx, _Alignof(tenon_context));
  if (!cx) return tenon_fail_memory(&report, "creating a context");
  memset(cx, 0, sizeof *cx);
  cx->allocator = allocator;
  cx->report = report;
  tenon_arena_init(&cx->arena, allocator);
  tenon_intern_init(&cx->names, &cx->arena, allocator);
  atomic_init(&cx->references, 1);
  if (!context_fill(cx, &o)) {
    tenon_context_release(cx);
    return tenon_fail_memory(&report, "creating a context");
  }
  *out = cx;
  return TENON_OK;
}

// The options have been admitted already; members beyond theirs are absent.
static tenon_status customise(const tenon_context_options *given,
                              tenon_context *cx) {
  tenon_context_options o = {.struct_size = sizeof o};
  if (given && !tenon_admit(&o, sizeof o, given)) return TENON_BAD_ARGUMENT;
  for (const tenon_customiser *c = o.customisers; c && c->customise; ++c)
    TENON_TRY(c->customise(c->self, cx));
  return TENON_OK;
}

tenon_status tenon_context_fill(tenon_context *cx,
                                const tenon_context_options *options,
                                tenon_plugins_fn *plugins) {
  const tenon_plugin_origin builtin = {.is_builtin = true};
  const tenon_plugin *p;
  for (size_t i = 0; (p = plugins(i)) != NULL; ++i)
    TENON_TRY(tenon_context_add_plugin(cx, p, &builtin));
  return customise(options, cx);
}

tenon_status tenon_context_create_with(const tenon_context_options *options,
                                       tenon_plugins_fn *plugins,
                                       tenon_context **out) {
  TENON_TRY(tenon_context_init(options, out));
  (*out)->runs_only = true;
  tenon_status status = tenon_context_fill(*out, options, plugins);
  if (status == TENON_OK) return TENON_OK;
  tenon_context_release(*out);
  *out = NULL;
  return status;
}

void tenon_context_retain(tenon_context *cx) {
  (void)atomic_fetch_add_explicit(&cx->references, 1, memory_order_relaxed);
}

// The last release sees everything that the others did before theirs.
void tenon_context_release(tenon_context *cx) {
  if (atomic_fetch_sub_explicit(&cx->references, 1, memory_order_acq_rel) != 1)
    return;
  tenon_allocator allocator = cx->allocator;
  for (tenon_context_end *end = cx->ends; end; end = end->next)
    end->close(end->self);
  if (cx->registry) tenon_registry_destroy(cx->registry);
  if (cx->catalogs) {
    tenon_catalogs_deinit(cx->catalogs);
    tenon_free(&allocator, cx->catalogs, sizeof *cx->catalogs,
               _Alignof(tenon_catalog_state));
  }
  tenon_intern_deinit(&cx->names);
  tenon_arena_deinit(&cx->arena);
  tenon_free(&allocator, cx, sizeof *cx, _Alignof(tenon_context));
}

void tenon_context_destroy(tenon_context *cx) {
  if (cx) tenon_context_release(cx);
}

bool tenon_context_at_end(tenon_context *cx, void (*close)(void *self),
                          void *self) {
  tenon_context_end *end = tenon_arena_new(&cx->arena, tenon_context_end);
  if (!end) return false;
  end->close = close;
  end->self = self;
  end->next = cx->ends;
  cx->ends = end;
  return true;
}
