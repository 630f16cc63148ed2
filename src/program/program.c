// How: everything a program owns is in its arena; what it keeps alive is let go
// through the function that the planner left. The queries of tenon.h that need
// nothing but the program are here.
#include "program/program.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

uint64_t tenon_program_room(const struct tenon_program *p, uint64_t size) {
  const uint64_t align = p->arena_align;
  return size ? (size + align + align - 1) / align * align : 0;
}

bool tenon_program_is_over(const struct tenon_program *p,
                           const tenon_step *step) {
  if (!p->kernels[step->kernel].desc->overlap || !step->n_in || !step->n_out)
    return false;
  const uint32_t in = p->operands[step->in], out = p->operands[step->out];
  if (in == TENON_NO_INDEX || out == TENON_NO_INDEX) return false;
  const tenon_program_tensor *x = &p->tensors[in], *y = &p->tensors[out];
  if (x->slot.place != y->slot.place || x->slot.index != y->slot.index)
    return false;
  if (x->sizes || y->sizes) return true;
  return x->slot.offset < y->slot.offset + y->size &&
         y->slot.offset < x->slot.offset + x->size;
}

void tenon_program_free(struct tenon_program *p) {
  if (!p) return;
  void *keep = p->keep;
  void (*release)(void *) = p->release;
  // The program itself lies in its arena: out first, then down.
  tenon_arena arena = p->arena;
  tenon_arena_deinit(&arena);
  if (release) release(keep);
}

void tenon_program_destroy(tenon_program *p) {
  tenon_program_free(p);
}

// --- what was packed --------------------------------------------------------

static bool is_packed(const struct tenon_program *p, const tenon_step *s,
                      uint32_t operand) {
  return s->packed != TENON_NO_INDEX && operand < 32 &&
         p->kernels[s->kernel].desc->packs >> operand & 1;
}

static void program_mark(const struct tenon_program *p, uint32_t tensor,
                         bool is_source) {
  if (tensor == TENON_NO_INDEX ||
      p->tensors[tensor].slot.place != TENON_IN_CONSTANT)
    return;
  ((tenon_program_constant *)(uintptr_t)
       p->constants)[p->tensors[tensor].slot.index]
      .is_source = is_source;
}

// Those of operands that are packed, or those of operands that are not.
static void mark_operands(const struct tenon_program *p, bool packed) {
  for (uint32_t i = 0; i < p->n_steps; ++i) {
    const tenon_step *s = &p->steps[i];
    for (uint32_t k = 0; k < s->n_in; ++k)
      if (is_packed(p, s, k) == packed)
        program_mark(p, p->operands[s->in + k], packed);
  }
}

void tenon_program_mark_sources(struct tenon_program *p) {
  tenon_program_constant *list =
      (tenon_program_constant *)(uintptr_t)p->constants;
  mark_operands(p, true);
  mark_operands(p, false);
  for (uint32_t i = 0; i < p->n_entries; ++i) {
    const tenon_program_entry *e = &p->entries[i];
    for (uint32_t k = 0; k < e->n_out; ++k)
      program_mark(p, e->out[k], false);
    for (uint32_t k = 0; k < e->n_writes; ++k)
      program_mark(p, e->writes[k].tensor, false);
  }
  for (uint32_t i = 0; i < p->n_states; ++i)
    if (p->states[i].initial != TENON_NO_INDEX)
      list[p->states[i].initial].is_source = false;
}

// --- questions --------------------------------------------------------------

#define MOST_NAMED 3u

tenon_status tenon_program_check_weights(const struct tenon_program *p,
                                         const tenon_report *report) {
  char names[MOST_NAMED * 80] = "";
  uint32_t n = 0;
  for (uint32_t i = 0; i < p->n_constants; ++i) {
    const tenon_program_constant *c = &p->constants[i];
    if (c->size == 0 || c->data || ++n > MOST_NAMED) continue;
    tenon_text_append(names, sizeof names, "%s'%.70s'", n > 1 ? ", " : "",
                      c->name);
  }
  if (n == 0) return TENON_OK;
  tenon_diag hint = tenon_note_of(
      "weights-missing",
      "give them with --weights F: a .safetensors, a .pt2, a state "
      "dict .pt, or a folder of .npy",
      NULL);
  return tenon_fail_notes(
      report, TENON_BAD_INPUT, "weights-missing", NULL, &hint,
      "'%s' was saved without its weights and needs %u: %s%s",
      p->name ? p->name : "model", (unsigned)n, names,
      n > MOST_NAMED ? ", ..." : "");
}

// Adds to `named` the words of `needs` that are in `lacks`, each once; false:
// there is none.
static bool add_lacking(const char *needs, const char *lacks,
                        char named[TENON_FEATURES_SIZE]) {
  tenon_text rest = tenon_text_of(needs), word;
  bool is_lacking = false;
  while (tenon_text_next(&rest, ' ', &word)) {
    if (word.size == 0 || !tenon_text_has_word(lacks, word)) continue;
    is_lacking = true;
    // As long as `lacks`, which has room for all of them.
    if (!tenon_text_has_word(named, word))
      (void)tenon_text_add_word(named, TENON_FEATURES_SIZE, word);
  }
  return is_lacking;
}

// A program for another processor is fine to emit; here it would end at the
// first instruction that this one does not know.
static tenon_status check_features(const struct tenon_program *p,
                                   const tenon_report *report) {
  const tenon_step *first = NULL;
  char named[TENON_FEATURES_SIZE] = "";
  uint32_t n = 0;
  for (uint32_t i = 0; i < p->n_steps; ++i) {
    const tenon_step *step = &p->steps[i];
    if (step->kernel == TENON_NO_INDEX) continue;
    const char *needs = p->kernels[step->kernel].desc->needs;
    if (needs && add_lacking(needs, p->lacks, named) && n++ == 0) first = step;
  }
  if (n == 0) return TENON_OK;
  return tenon_fail(report, TENON_UNSUPPORTED, "session-features", first->place,
                    "this program for '%s' needs what this processor lacks: "
                    "%s, first in '%s' by kernel '%s' (%u such step%s); "
                    "compile for 'host', or run it where these are",
                    p->target, named, first->op,
                    p->kernels[first->kernel].symbol, (unsigned)n,
                    n > 1 ? "s" : "");
}

tenon_status tenon_program_check_kernels(const struct tenon_program *p,
                                         const tenon_report *report) {
  const tenon_step *first = NULL;
  uint32_t n = 0;
  for (uint32_t i = 0; i < p->n_steps; ++i) {
    const tenon_step *step = &p->steps[i];
    if (step->kernel == TENON_NO_INDEX) continue;
    const tenon_kernel_desc *d = p->kernels[step->kernel].desc;
    if (d->run || d->run_range) continue;
    if (n++ == 0) first = step;
  }
  if (n == 0) return check_features(p, report);
  return tenon_fail(report, TENON_UNSUPPORTED, "session-emit-only",
                    first->place,
                    "'%s' can only be emitted: its kernel '%s' has no function "
                    "to run here (%u such step%s); use 'tenon emit', or give "
                    "the operator another kernel",
                    first->op, p->kernels[first->kernel].symbol, (unsigned)n,
                    n > 1 ? "s" : "");
}

int tenon_program_find(const tenon_program *p, const char *entry) {
  if (!entry) return p->n_entries > 0 ? 0 : -1;
  for (uint32_t i = 0; i < p->n_entries; ++i)
    if (strcmp(p->entries[i].name, entry) == 0) return (int)i;
  return -1;
}

size_t tenon_program_entries(const tenon_program *p) {
  return p->n_entries;
}

const char *tenon_program_entry_name(const tenon_program *p, int entry) {
  return entry >= 0 && (uint32_t)entry < p->n_entries ? p->entries[entry].name
                                                      : NULL;
}

static size_t copy_io(const tenon_io *from, size_t n, tenon_io *list,
                      size_t capacity) {
  for (size_t i = 0; i < n && i < capacity; ++i)
    list[i] = from[i];
  return n;
}

static size_t state_io(const tenon_program *p, tenon_io *list,
                       size_t capacity) {
  for (uint32_t i = 0; i < p->n_states && i < capacity; ++i) {
    list[i] = p->states[i].io;
  }
  return p->n_states;
}

size_t tenon_program_io(const tenon_program *p, int entry, uint32_t kind,
                        tenon_io *list, size_t capacity) {
  if (kind == TENON_IO_STATES) return state_io(p, list, capacity);
  if (entry < 0 || (uint32_t)entry >= p->n_entries) return 0;
  const tenon_program_entry *e = &p->entries[entry];
  if (kind == TENON_IO_INPUTS)
    return copy_io(e->inputs, e->n_in, list, capacity);
  if (kind == TENON_IO_OUTPUTS)
    return copy_io(e->outputs, e->n_out, list, capacity);
  return 0;
}

// Of the kernel whose block it is.
static uint64_t packed_head_of(const struct tenon_program *p,
                               const tenon_program_constant *c) {
  for (uint32_t i = 0; c->is_packed && c->name && i < p->n_kernels; ++i)
    if (strcmp(p->kernels[i].symbol, c->name) == 0)
      return p->kernels[i].desc ? p->kernels[i].desc->pack_head : 0;
  return 0;
}

uint32_t tenon_program_rest_of(const struct tenon_program *p, uint32_t index) {
  const tenon_program_constant *c = &p->constants[index];
  const uint64_t head = packed_head_of(p, c);
  if (head == 0 || c->size <= head) return index;
  for (uint32_t i = 0; i < index; ++i) {
    const tenon_program_constant *d = &p->constants[i];
    if (d->is_packed && d->size == c->size && strcmp(d->name, c->name) == 0 &&
        memcmp((const char *)d->data + head, (const char *)c->data + head,
               (size_t)(c->size - head)) == 0)
      return i;
  }
  return index;
}

uint64_t tenon_program_constant_size(const struct tenon_program *p,
                                     uint32_t index) {
  const tenon_program_constant *c = &p->constants[index];
  return tenon_program_rest_of(p, index) == index ? c->size
                                                  : packed_head_of(p, c);
}

uint64_t tenon_program_packed_size(const struct tenon_program *p) {
  const uint64_t align = p->arena_align;
  uint64_t sum = 0;
  for (uint32_t i = 0; i < p->n_constants; ++i)
    if (p->constants[i].is_packed)
      sum += (tenon_program_constant_size(p, i) + align - 1) / align * align;
  return sum ? sum + align : 0;
}

double tenon_program_step(const tenon_program *p, int entry, uint32_t output) {
  if (entry < 0 || (uint32_t)entry >= p->n_entries) return 0;
  const tenon_program_entry *e = &p->entries[entry];
  return e->steps && output < e->n_out ? e->steps[output] : 0;
}

void tenon_program_measure(const tenon_program *p, tenon_program_stats *out) {
  tenon_program_stats s = {0};
  s.struct_size = sizeof s;
  s.steps = p->n_steps;
  s.arena = p->arena_size;
  s.arena_bound = p->arena_bound;
  s.arena_is_optimal = p->arena_is_optimal;
  s.state = p->state_size;
  s.kernels = p->n_kernels;
  for (uint32_t i = 0; i < p->n_constants; ++i) {
    if (p->constants[i].is_source) continue;
    const uint64_t size = tenon_program_constant_size(p, i);
    s.constants += size;
    if (p->constants[i].is_packed) s.packed += size;
  }
  for (uint32_t i = 0; i < p->n_steps; ++i)
    s.macs += p->steps[i].macs;
  // An application built against a shorter struct gets as much as it knows.
  size_t size = out->struct_size && out->struct_size < sizeof s
                    ? out->struct_size
                    : sizeof s;
  uint32_t known = (uint32_t)size;
  memcpy(out, &s, size);
  out->struct_size = known;
}
