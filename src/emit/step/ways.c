// How: one pass over the steps finds which kernels are called, how often and
// where first; one over the kernels decides, so that everything that cannot be
// emitted is reported at once, each kernel once.

#include "emit/emission.h"

typedef struct usage {
  uint32_t count;
  const tenon_step *first;
} usage;

static const char *in_file(const tenon_program_kernel *k) {
  return k->path ? k->path : "linked in";
}

static tenon_status fail_source(const tenon_emission *e,
                                const tenon_program_kernel *k, const usage *u) {
  const tenon_diag note = tenon_note_of(
      "emit-no-source",
      "give the kernel a `source` or an `emit_template`, or load the plugin as "
      "C source, which is then printed; or let the kernel be linked to what is "
      "emitted (TENON_EMIT_EXTERN)",
      NULL);
  return tenon_fail_notes(
      e->report, TENON_UNSUPPORTED, "emit-no-source", u->first->place, &note,
      "kernel '%s' of plugin '%s' (%s), in %u step%s of '%s', has no text that "
      "could be emitted",
      k->symbol, k->owner, in_file(k), u->count, u->count == 1 ? "" : "s",
      u->first->op);
}

static tenon_status fail_user(const tenon_emission *e,
                              const tenon_program_kernel *k, const usage *u) {
  return tenon_fail(e->report, TENON_UNSUPPORTED, "emit-user", u->first->place,
                    "kernel '%s' of plugin '%s' (%s), in %u step%s of '%s', "
                    "depends on data of its descriptor and cannot be emitted",
                    k->symbol, k->owner, in_file(k), u->count,
                    u->count == 1 ? "" : "s", u->first->op);
}

static tenon_status ways_choose(const tenon_emission *e, uint32_t index,
                                const usage *u) {
  const tenon_program_kernel *k = &e->p->kernels[index];
  if (k->desc->emit_template) {
    e->ways[index] = TENON_WAY_TEMPLATE;
  } else if (k->desc->emit) {
    e->ways[index] = TENON_WAY_CALLBACK;
  } else if (k->desc->user) {
    return fail_user(e, k, u);
  } else if (k->source) {
    e->ways[index] = TENON_WAY_SOURCE;
  } else if (e->options.flags & TENON_EMIT_EXTERN) {
    e->ways[index] = TENON_WAY_EXTERN;
  } else {
    return fail_source(e, k, u);
  }
  return TENON_OK;
}

// Elements of strings are addresses, which neither an image of a memory nor a
// test vector can hold.
static tenon_status check_strings(const tenon_emission *e) {
  const struct tenon_program *p = e->p;
  const char *name = NULL;
  for (uint32_t i = 0; p->n_banks > 0 && i < p->n_constants; ++i)
    if (p->constants[i].dtype == TENON_STR) name = p->constants[i].name;
  if (name)
    return tenon_fail(e->report, TENON_UNSUPPORTED, "emit-string", NULL,
                      "constant '%s' holds strings, which cannot be emitted "
                      "into memories",
                      name);
  for (uint32_t i = 0; i < p->n_states; ++i)
    if (p->tensors[p->states[i].tensor].dtype == TENON_STR)
      return tenon_fail(e->report, TENON_UNSUPPORTED, "emit-string", NULL,
                        "state '%s' holds strings, whose bytes outlive the run "
                        "that made them, and emitted C has no memory for them",
                        p->states[i].name);
  if (e->options.n_vectors > 0 && tenon_emit_has_strings(e))
    return tenon_fail(e->report, TENON_UNSUPPORTED, "emit-string", NULL,
                      "an input or output holds strings, which cannot be "
                      "emitted as test vectors");
  return TENON_OK;
}

tenon_status tenon_emit_choose_ways(tenon_emission *e) {
  const struct tenon_program *p = e->p;
  tenon_status status = TENON_OK, one;
  usage *all = tenon_arena_array(&e->arena, usage, p->n_kernels);
  e->ways = tenon_arena_array(&e->arena, uint8_t, p->n_kernels);
  e->is_used = tenon_arena_array(&e->arena, uint8_t, p->n_constants);
  e->alignments = tenon_arena_array(&e->arena, uint32_t, p->n_constants);
  if (e->arena.failed) return tenon_emission_memory(e);
  // Steps may ask more of one than its memory does.
  for (uint32_t i = 0; i < p->n_constants; ++i)
    if (p->constants[i].bank > 0 && p->banks[p->constants[i].bank - 1].is_rom &&
        p->banks[p->constants[i].bank - 1].align >= 16)
      e->alignments[i] = p->banks[p->constants[i].bank - 1].align;
  for (uint32_t i = 0; i < p->n_steps; ++i) {
    const tenon_step *step = &p->steps[i];
    if (step->kind == TENON_STEP_KERNEL && !tenon_program_cold(p, step)) {
      if (all[step->kernel].count++ == 0) all[step->kernel].first = step;
    }
  }
  for (uint32_t i = 0; i < p->n_kernels; ++i) {
    if (all[i].count == 0) continue;
    one = ways_choose(e, i, &all[i]);
    if (status == TENON_OK) status = one;
  }
  one = check_strings(e);
  return status == TENON_OK ? one : status;
}
