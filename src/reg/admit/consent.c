// reg/admit/consent.c - what stands in a context without any effect: names that
// the user lets plugins replace and nobody has, and features that kernels need
// and no target has. Asked when the context freezes, since any plugin may bring
// them.
#include <string.h>

#include "base/text.h"
#include "reg/admit/refuse.h"
#include "reg/catalog.h"
#include "reg/store.h"
#include "tenon/ext/target.h"

// --- overrides ---------------------------------------------------------------

static bool consent_is_there(const tenon_context *cx, const char *text,
                             const char *name) {
  const tenon_registry *r = cx->registry;
  for (uint32_t kind = 0; kind < TENON_REGISTRY_KINDS; ++kind)
    if (tenon_store_find(r, kind, text, strlen(text)) ||
        tenon_store_find(r, kind, name, strlen(name)))
      return true;
  const tenon_records *ops = &r->live[TENON_REGISTRY_OPS];
  for (size_t i = 0; i < ops->count; ++i)
    if (tenon_name_covers(name, ops->data[i]->name) >= 0) return true;
  return tenon_name_is_wildcard(name)
             ? tenon_catalogs_cover(cx, name)
             : tenon_registry_find_op(cx, name) != NULL;
}

static tenon_status refuse_override(const tenon_context *cx, const char *text) {
  tenon_nearest near;
  const char *op = tenon_registry_nearest_op(cx, text);
  tenon_nearest_init(&near, text);
  if (op) tenon_nearest_feed(&near, op);
  for (uint32_t kind = 0; kind < TENON_REGISTRY_KINDS; ++kind)
    for (size_t i = 0; i < cx->registry->live[kind].count; ++i)
      tenon_nearest_feed(&near, cx->registry->live[kind].data[i]->name);
  return tenon_fail(&cx->report, TENON_BAD_ARGUMENT, "context-override", NULL,
                    "'%s' may be replaced, but does not exist%s%s%s; take it "
                    "out of `--allow-override` (or `overrides`), or add the "
                    "plugin that has it",
                    text, TENON_DID_YOU_MEAN(near.best));
}

tenon_status tenon_overrides_check(const tenon_context *cx) {
  char name[512];
  tenon_status status = TENON_OK;
  for (const char *const *o = cx->overrides; o && *o; ++o) {
    bool is_short = tenon_name_normal(*o, name, sizeof name);
    if (consent_is_there(cx, *o, is_short ? name : *o)) continue;
    tenon_status one = refuse_override(cx, *o);
    if (status == TENON_OK) status = one;
  }
  return status;
}

// --- features ----------------------------------------------------------------

static const char *const known[] = {
#define FEATURE(family, word) word,
#include "reg/features.def"
#undef FEATURE
};

static void consent_look_at(const char *words, tenon_text word,
                            tenon_nearest *near, tenon_arena *arena,
                            bool *is_known) {
  tenon_text rest = tenon_text_of(words ? words : ""), piece;
  while (tenon_text_next(&rest, ' ', &piece)) {
    if (piece.size == 0) continue;
    if (piece.size == word.size &&
        memcmp(piece.data, word.data, word.size) == 0)
      *is_known = true;
    const char *copy = tenon_arena_text(arena, piece.data, piece.size);
    if (copy) tenon_nearest_feed(near, copy);
  }
}

static tenon_status check_word(const tenon_context *cx, const tenon_record *r,
                               tenon_text word, tenon_arena *arena) {
  const tenon_records *targets = &cx->registry->live[TENON_REGISTRY_TARGETS];
  tenon_subject s = {cx, r->owner, "kernel", r->name};
  tenon_nearest near;
  bool is_known = false;
  const char *copy = tenon_arena_text(arena, word.data, word.size);
  if (!copy) return tenon_fail_memory(&cx->report, "freezing a context");
  tenon_nearest_init(&near, copy);
  for (size_t i = 0; i < sizeof known / sizeof *known; ++i)
    consent_look_at(known[i], word, &near, arena, &is_known);
  for (size_t i = 0; i < targets->count; ++i)
    consent_look_at(
        ((const tenon_target_desc *)targets->data[i]->as.extension->desc)
            ->features,
        word, &near, arena, &is_known);
  if (arena->failed)
    return tenon_fail_memory(&cx->report, "freezing a context");
  // Without a near one it may be that of a target which is not loaded here.
  if (is_known || !near.best) return TENON_OK;
  return tenon_refuse(&s, TENON_BAD_PLUGIN, "plugin-feature",
                      "a word of `needs` is a feature that targets have; a "
                      "plugin's target brings others",
                      "needs '%s', which no target has; did you mean '%s'?",
                      copy, near.best);
}

tenon_status tenon_features_check(const tenon_context *cx) {
  const tenon_records *kernels = &cx->registry->live[TENON_REGISTRY_KERNELS];
  tenon_status status = TENON_OK;
  tenon_arena arena;
  tenon_arena_init(&arena, cx->allocator);
  for (size_t i = 0; i < kernels->count; ++i) {
    const tenon_record *r = kernels->data[i];
    const char *needs = r->as.kernel->desc->needs;
    tenon_text rest = tenon_text_of(needs ? needs : ""), word;
    if (r->owner->is_builtin) continue;
    while (tenon_text_next(&rest, ' ', &word)) {
      tenon_status one = word.size ? check_word(cx, r, word, &arena) : TENON_OK;
      if (status == TENON_OK) status = one;
    }
  }
  tenon_arena_deinit(&arena);
  return status;
}
