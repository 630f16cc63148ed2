// reg/source.c - texts of kernels, one copy per name.
//
// Texts use texts, so admitting one is a walk of a graph that a plugin wrote: a
// name that is known already ends it, and a limit of depth ends a circle.
#include <string.h>

#include "reg/admit/admit.h"
#include "reg/store.h"

enum { DEPTH_MOST = 64, USES_MOST = 256 };

static size_t reg_source_place_of(const tenon_registry *r, const char *name) {
  size_t low = 0, high = r->sources.count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (strcmp(r->sources.data[middle].source->name, name) < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

static const tenon_source_record *reg_source_find(const tenon_registry *r,
                                                  const char *name) {
  size_t at = reg_source_place_of(r, name);
  if (at == r->sources.count) return NULL;
  const tenon_source_record *found = &r->sources.data[at];
  return strcmp(found->source->name, name) == 0 ? found : NULL;
}

static bool reg_source_insert(tenon_registry *r, const tenon_source *source,
                              const tenon_owner *owner) {
  if (!tenon_vec_reserve(&r->sources, 1)) return false;
  size_t at = reg_source_place_of(r, source->name);
  memmove(r->sources.data + at + 1, r->sources.data + at,
          (r->sources.count - at) * sizeof *r->sources.data);
  r->sources.data[at] = (tenon_source_record){source, owner};
  ++r->sources.count;
  return true;
}

static tenon_status reg_source_admit(tenon_context *cx, const tenon_subject *s,
                                     const tenon_source *in, unsigned depth,
                                     const tenon_source **out);

static tenon_status admit_uses(tenon_context *cx, const tenon_subject *s,
                               tenon_source *source, unsigned depth) {
  size_t count = 0;
  if (!source->uses) return TENON_OK;
  while (source->uses[count] && count < USES_MOST)
    ++count;
  if (depth == DEPTH_MOST || count == USES_MOST) {
    return tenon_refuse(s, TENON_BAD_PLUGIN, "plugin-source", NULL,
                        "the text '%s' uses %s", source->name,
                        depth == DEPTH_MOST
                            ? "itself, or others more than 64 deep"
                            : "more than 255 others");
  }
  const tenon_source **uses =
      tenon_arena_array(&cx->arena, const tenon_source *, count + 1);
  if (!uses) return tenon_fail_memory(&cx->report, "adding a text");
  for (size_t i = 0; i < count; ++i)
    TENON_TRY(reg_source_admit(cx, s, source->uses[i], depth + 1, &uses[i]));
  source->uses = uses;
  return TENON_OK;
}

static tenon_status reg_source_admit(tenon_context *cx, const tenon_subject *s,
                                     const tenon_source *in, unsigned depth,
                                     const tenon_source **out) {
  tenon_source source;
  TENON_TRY(tenon_admit_copy(s, &source, sizeof source, in));
  TENON_TRY(tenon_admit_flags(s, source.flags, 0));
  if (!source.name || !*source.name || !source.text) {
    return tenon_refuse(s, TENON_BAD_PLUGIN, "plugin-source", NULL,
                        "a text without %s", source.text ? "name" : "content");
  }
  const tenon_source_record *known = reg_source_find(cx->registry, source.name);
  if (known && (known->source->text == source.text ||
                strcmp(known->source->text, source.text) == 0)) {
    *out = known->source;
    return TENON_OK;
  }
  if (known) {
    return tenon_refuse(
        s, TENON_CONFLICT, "plugin-source",
        "a text is printed once per name: rename one",
        "the text '%s' differs from that of plugin " TENON_OWNER, source.name,
        TENON_OWNER_ARGS(known->owner));
  }
  TENON_TRY(admit_uses(cx, s, &source, depth));
  source.name = tenon_arena_string(&cx->arena, source.name);
  *out = tenon_arena_copy(&cx->arena, &source, sizeof source,
                          _Alignof(tenon_source));
  if (!source.name || !*out || !reg_source_insert(cx->registry, *out, s->owner))
    return tenon_fail_memory(&cx->report, "adding a text");
  return TENON_OK;
}

tenon_status tenon_admit_source(tenon_context *cx, const tenon_owner *owner,
                                const char *symbol, const tenon_source *in,
                                const tenon_source **out) {
  tenon_subject s = {cx, owner, "kernel", symbol};
  return reg_source_admit(cx, &s, in, 0, out);
}
