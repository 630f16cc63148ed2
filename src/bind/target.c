// How: two names are part of the library unless a plugin replaced them or a
// customiser took them out; the others are descriptors of the registry. The
// words of the host are asked of the processor each time, which costs next to
// nothing, and lie in the target itself, so that nothing is kept between calls.
#include "bind/target.h"

#include <string.h>

#include "base/text.h"
#include "tenon/ext/target.h"

static tenon_status target_unknown(const tenon_context *cx, const char *name) {
  tenon_nearest near;
  tenon_nearest_init(&near, name);
  size_t n = tenon_registry_count(cx, TENON_REGISTRY_TARGETS);
  for (size_t i = 0; i < n; ++i)
    tenon_nearest_feed(&near,
                       tenon_registry_at(cx, TENON_REGISTRY_TARGETS, i)->name);
  if (near.best)
    return tenon_fail(&cx->report, TENON_BAD_ARGUMENT, "target-unknown", NULL,
                      "no target '%s'; did you mean '%s'?", name, near.best);
  return tenon_fail(&cx->report, TENON_BAD_ARGUMENT, "target-unknown", NULL,
                    "no target '%s'; 'tenon ops --kind targets' lists them",
                    name);
}

// Of what the processor has, what the context may use.
static void find_host(const char *allowed, tenon_target *t) {
  char has[TENON_FEATURES_SIZE];
  tenon_host_features(has, t->lacks);
  tenon_text rest = tenon_text_of(has), word;
  while (tenon_text_next(&rest, ' ', &word))
    (void)tenon_text_add_word(
        !allowed || tenon_text_has_word(allowed, word) ? t->host : t->lacks,
        TENON_FEATURES_SIZE, word);
}

tenon_status tenon_target_find(const tenon_context *cx, const char *name,
                               tenon_target *out) {
  memset(out, 0, sizeof *out);
  out->name = name ? name : "host";
  out->features = "";
  find_host(cx->features, out);
  bool is_host = strcmp(out->name, "host") == 0;
  if ((is_host || strcmp(out->name, "c") == 0) &&
      tenon_registry_is_native(cx, TENON_REGISTRY_TARGETS, out->name)) {
    if (is_host) out->features = NULL;
    return TENON_OK;
  }
  const tenon_extension *e =
      tenon_registry_find(cx, TENON_REGISTRY_TARGETS, out->name);
  if (!e) return target_unknown(cx, out->name);
  const tenon_target_desc *desc = (const tenon_target_desc *)e->desc;
  out->name = desc->name;
  out->features = desc->features ? desc->features : "";
  out->macros = desc->macros;
  out->cflags = desc->cflags;
  out->memories = desc->memories;
  out->desc = desc;
  return TENON_OK;
}

const char *tenon_target_features(const tenon_target *target) {
  return target->features ? target->features : target->host;
}

uint32_t tenon_target_align(const tenon_target *target) {
  const tenon_target_desc *d = target->desc;
  return d && d->block_align ? (uint32_t)d->block_align : TENON_ARENA_ALIGN;
}

void tenon_target_describe(const tenon_target *target,
                           struct tenon_program *p) {
  const tenon_target_desc *d = target->desc;
  p->arena_align = tenon_target_align(target);
  for (uint32_t i = 0; i < p->n_kernels; ++i)
    tenon_program_raise_align(p, p->kernels[i].desc->align);
  for (uint32_t i = 0; i < p->n_banks; ++i)
    tenon_program_raise_align(p, p->banks[i].align);
  p->target_macros = tenon_arena_string(&p->arena, target->macros);
  p->target_cflags = tenon_arena_string(&p->arena, target->cflags);
  memcpy(p->lacks, target->lacks, sizeof p->lacks);
  if (!d) return;
  p->emission = (tenon_program_emission){
      .sections = tenon_arena_string(&p->arena, d->sections),
      .section = tenon_arena_string(&p->arena, d->section),
      .constant = tenon_arena_string(&p->arena, d->constant),
      .align = tenon_arena_string(&p->arena, d->align),
      .pointer_bits = d->pointer_bits,
      .int_bits = d->int_bits,
      .integer_bits = d->integer_bits,
      .double_bits = d->double_bits};
}

bool tenon_target_has(const tenon_target *target, const char *needs) {
  if (!needs) return true;
  tenon_text rest = tenon_text_of(needs), word;
  while (tenon_text_next(&rest, ' ', &word))
    if (word.size > 0 &&
        !tenon_text_has_word(tenon_target_features(target), word))
      return false;
  return true;
}
