// plan/resolve/resolve_constants.c - the constants of a program, each content
// once.
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "exec/crew.h"
#include "plan/resolve/resolver.h"

typedef tenon_resolver resolver;

// A weight without data is found again by its name.
static bool add_apart(resolver *r, const tenon_program_constant *c,
                      uint32_t *index) {
  if (!c->name) return false;
  for (size_t i = 0; i < r->constants.count; ++i) {
    const tenon_program_constant *d = &r->constants.data[i];
    if (d->data || d->is_packed || d->size != c->size || d->dtype != c->dtype ||
        strcmp(d->name, c->name) != 0)
      continue;
    *index = (uint32_t)i;
    return true;
  }
  *index = (uint32_t)r->constants.count;
  return tenon_vec_push(&r->constants, *c) &&
         tenon_vec_push(&r->constant_next, 0u);
}

static uint64_t resolve_constant_hash(const tenon_program_constant *c) {
  return tenon_hash_sample(c->data, (size_t)c->size,
                           TENON_HASH_SEED + c->align + c->is_packed);
}

// Finds equal content or adds it. Data that is not aligned for its elements, or
// does not outlive the program, is copied.
bool tenon_resolve_constant(resolver *r, const tenon_program_constant *c,
                            bool copy, uint32_t *index) {
  if (c->size > 0 && !c->data) return add_apart(r, c, index);
  uint64_t hash = resolve_constant_hash(c);
  bool added = false;
  uint64_t *slot = tenon_map_put(&r->constant_map, hash, 0, &added);
  if (!slot) return false;
  for (uint64_t i = *slot; i; i = r->constant_next.data[i - 1]) {
    const tenon_program_constant *d = &r->constants.data[i - 1];
    if (d->size == c->size && d->align == c->align &&
        d->is_packed == c->is_packed && d->dtype == c->dtype &&
        d->bank == c->bank &&
        (c->size == 0 || memcmp(d->data, c->data, (size_t)c->size) == 0)) {
      *index = (uint32_t)i - 1;
      return true;
    }
  }
  tenon_program_constant fresh = *c;
  if (copy) {
    char *data = (char *)tenon_arena_alloc(r->arena, (size_t)c->size + 64, 64);
    if (!data) return false;
    if (c->size) memcpy(data, c->data, (size_t)c->size);
    memset(data + c->size, 0, 64);
    fresh.data = data;
  }
  *index = (uint32_t)r->constants.count;
  if (!tenon_vec_push(&r->constants, fresh) ||
      !tenon_vec_push(&r->constant_next, (uint32_t)*slot))
    return false;
  *slot = (uint64_t)*index + 1;
  return true;
}

static bool resolve_constant_lies_in(const void *file, size_t file_size,
                                     const void *data, size_t size) {
  uintptr_t at = (uintptr_t)data, from = (uintptr_t)file;
  return file && data && at >= from && at - from <= file_size &&
         file_size - (at - from) >= size + 64;
}

// Large data in the bytes that a module was read from is used where it lies;
// all else is in the module's arena, which the program outlives, or small.
// Kernels may read 64 bytes past the end.
bool tenon_resolve_can_stay(const resolver *r, const void *data, size_t size,
                            size_t align) {
  if (size < 1u << 20 || (uintptr_t)data % align != 0) return false;
  for (size_t i = 0; i < r->w->n_entries; ++i) {
    const tenon_module *m = r->w->entries[i].entry->module;
    if (resolve_constant_lies_in(m->file, m->file_size, data, size) ||
        resolve_constant_lies_in(m->apart, m->apart_size, data, size))
      return true;
  }
  return false;
}

// --- strings -----------------------------------------------------------------

const tenon_string *tenon_resolve_strings(tenon_resolver *r, const void *data,
                                          size_t size) {
  const tenon_string *from = (const tenon_string *)data;
  // Kernels may read 64 bytes past the end.
  tenon_string *own =
      (tenon_string *)tenon_arena_zalloc(r->arena, size + 64, 64);
  for (size_t i = 0; own && i < size / sizeof *own; ++i) {
    own[i].size = from[i].size;
    own[i].at.data =
        tenon_arena_text(r->arena, from[i].at.data, (size_t)from[i].size);
    if (!own[i].at.data) return NULL;
  }
  return own;
}

// --- blocks ------------------------------------------------------------------

// What comes first of what a step packs; null: nothing.
static const void *first_packed(const tenon_call *call,
                                const tenon_kernel_desc *desc) {
  for (uint32_t i = 0; i < call->n_in && i < 32; ++i)
    if ((desc->packs >> i & 1) && call->in[i].data) return call->in[i].data;
  return NULL;
}

bool tenon_resolve_pack_later(resolver *r, const tenon_kernel *k,
                              const tenon_node *n, const tenon_call *call,
                              size_t size, uint32_t *index, bool *is_later) {
  const void *from = first_packed(call, k->desc);
  bool added = false;
  *is_later = false;
  if (size < TENON_PACK_LATER || !from) return true;
  if (!tenon_map_put(&r->packed_from, (uint64_t)(uintptr_t)from, 0, &added))
    return false;
  // It may be packed alike: the other has to be there to be compared with.
  if (!added) return true;
  tenon_pack_job job = {.node = n, .kernel = k, .size = size};
  tenon_call *own =
      tenon_arena_copy(r->w->arena, call, sizeof *call, _Alignof(tenon_call));
  job.fault = tenon_arena_new(r->w->arena, tenon_fault);
  if (!own || !job.fault) return false;
  own->fault = job.fault;
  job.call = own;
  *index = job.constant = (uint32_t)r->constants.count;
  *is_later = true;
  const tenon_program_constant c = {.size = size,
                                    .align = 64,
                                    .is_packed = true,
                                    .name = k->desc->symbol,
                                    .layout = tenon_kernel_layout(k->desc),
                                    .layout_version = k->desc->pack_version};
  return tenon_vec_push(&r->jobs, job) && tenon_vec_push(&r->constants, c) &&
         tenon_vec_push(&r->constant_next, 0u);
}

static void resolve_do_job(void *arg, int64_t i) {
  tenon_pack_job *job = ((tenon_pack_job **)arg)[i];
  memset(job->data, 0, job->size + 64);
  job->status = job->kernel->desc->pack(job->call, job->data);
}

// The largest first: a last one that is large would keep one thread at work
// when others have none.
static int job_by_size(const void *a, const void *b) {
  const tenon_pack_job *x = *(tenon_pack_job *const *)a;
  const tenon_pack_job *y = *(tenon_pack_job *const *)b;
  if (x->size != y->size) return x->size > y->size ? -1 : 1;
  return x->constant < y->constant ? -1 : 1;
}

tenon_status tenon_resolve_pack_failed(const resolver *r, const tenon_kernel *k,
                                       const tenon_node *n, tenon_status status,
                                       const tenon_fault *fault) {
  return tenon_fail(r->w->report, status, "plan-pack", tenon_node_place(n),
                    "kernel '%s' of plugin '%s' could not pack: %s",
                    k->desc->symbol, k->owner->name,
                    fault->text ? fault->text : "no reason given");
}

tenon_status tenon_resolve_pack_now(resolver *r) {
  const size_t n = r->jobs.count;
  uint64_t bytes = 0;
  tenon_pack_job **order =
      tenon_arena_array(r->w->arena, tenon_pack_job *, n + 1);
  if (!order) return tenon_plan_no_memory(r->w->report);
  for (size_t i = 0; i < n; ++i) {
    order[i] = &r->jobs.data[i];
    bytes += order[i]->size;
  }
  qsort(order, n, sizeof *order, job_by_size);
  // Here, one behind the other: between them the arena's small things would
  // begin blocks of their own, each with a large page.
  for (size_t i = 0; i < n; ++i) {
    order[i]->data = tenon_arena_alloc(r->arena, order[i]->size + 64, 64);
    if (!order[i]->data) return tenon_plan_no_memory(r->w->report);
    r->constants.data[order[i]->constant].data = order[i]->data;
  }
  tenon_crew_run(&r->w->report_allocator, bytes, (int64_t)n, resolve_do_job,
                 order);
  for (size_t i = 0; i < r->jobs.count; ++i) {
    const tenon_pack_job *job = &r->jobs.data[i];
    bool added = false;
    if (job->status != TENON_OK)
      return tenon_resolve_pack_failed(r, job->kernel, job->node, job->status,
                                       job->fault);
    uint64_t hash = resolve_constant_hash(&r->constants.data[job->constant]);
    uint64_t *slot = tenon_map_put(&r->constant_map, hash, 0, &added);
    if (!slot) return tenon_plan_no_memory(r->w->report);
    r->constant_next.data[job->constant] = (uint32_t)*slot;
    *slot = (uint64_t)job->constant + 1;
  }
  r->jobs.count = 0;
  return TENON_OK;
}
