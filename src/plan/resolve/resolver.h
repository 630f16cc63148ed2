// plan/resolve/resolver.h - the tables of a program while they grow.
//
// resolve.c fills all of it; resolve_open.c what is there for open sizes only.
#ifndef TENON_PLAN_RESOLVER_H
#define TENON_PLAN_RESOLVER_H

#include "base/map.h"
#include "plan/work.h"

// A block whose constant is there and whose bytes are not.
typedef struct tenon_pack_job {
  const tenon_node *node;
  const tenon_kernel *kernel;
  const tenon_call *call;
  tenon_fault *fault;
  void *data;  // with 64 bytes behind
  size_t size;
  uint32_t constant;
  tenon_status status;
} tenon_pack_job;

typedef struct tenon_resolver {
  tenon_planner *w;
  struct tenon_program *p;
  tenon_arena *arena;  // the program's
  TENON_VEC(tenon_program_tensor) tensors;
  TENON_VEC(tenon_program_constant) constants;
  TENON_VEC(tenon_program_attrs) attrs;
  TENON_VEC(tenon_program_kernel) kernels;
  TENON_VEC(tenon_step) steps;
  TENON_VEC(uint32_t) operands;
  TENON_VEC(uint32_t) order;
  TENON_VEC(tenon_block) blocks;
  TENON_VEC(tenon_program_entry) entries;
  TENON_VEC(tenon_program_state) states;
  TENON_VEC(tenon_program_port) ports;
  TENON_VEC(const tenon_state *) state_origins;  // parallel: the first of each
  TENON_VEC(tenon_program_patch) patches;
  TENON_VEC(tenon_program_binding) bindings;
  TENON_VEC(tenon_program_guard) guards;
  TENON_VEC(uint32_t) decided;
  tenon_map constant_map;             // hash of content to the newest index + 1
  TENON_VEC(uint32_t) constant_next;  // the next of the same hash, + 1
  TENON_VEC(tenon_pack_job) jobs;     // large blocks that are yet to be packed
  tenon_map packed_from;              // what such blocks are made of
} tenon_resolver;

// Blocks of so many bytes are packed together, on all processors.
#define TENON_PACK_LATER ((size_t)256 << 10)
// Leaves a block for later, where it is large and nothing else is made of the
// same; *index: its constant. False: memory ran out.
bool tenon_resolve_pack_later(tenon_resolver *r, const tenon_kernel *k,
                              const tenon_node *n, const tenon_call *call,
                              size_t size, uint32_t *index, bool *is_later);
// Packs what was left.
tenon_status tenon_resolve_pack_now(tenon_resolver *r);
tenon_status tenon_resolve_pack_failed(const tenon_resolver *r,
                                       const tenon_kernel *k,
                                       const tenon_node *n, tenon_status status,
                                       const tenon_fault *fault);

// Finds equal content or adds it, copied where it does not outlive the program.
bool tenon_resolve_constant(tenon_resolver *r, const tenon_program_constant *c,
                            bool copy, uint32_t *index);
bool tenon_resolve_can_stay(const tenon_resolver *r, const void *data,
                            size_t size, size_t align);
// Strings with bytes of their own, since those of a module end with it; null:
// memory ran out.
const tenon_string *tenon_resolve_strings(tenon_resolver *r, const void *data,
                                          size_t size);
// What callers see of a tensor; false when memory ran out.
bool tenon_resolve_io(tenon_resolver *r, const char *name, uint32_t tensor,
                      tenon_io *io);
// A state of the entry's module, where it is not there yet; *offset is the end
// of the state memory.
tenon_status tenon_resolve_state(tenon_resolver *r, const tenon_plan_entry *e,
                                 const tenon_state *s, uint64_t *offset);
// Refuses a name of a shared state that no module has.
tenon_status tenon_resolve_check_shared(const tenon_resolver *r);
uint64_t tenon_resolve_state_offset(const tenon_resolver *r,
                                    const tenon_state *s);
// Dimensions as planned for, and, where some are open, as numbers.
tenon_status tenon_resolve_dims(tenon_resolver *r, tenon_planned *e,
                                const tenon_type *type,
                                tenon_program_tensor *t);
// Whether any attribute is open; then the row is filled.
tenon_status tenon_resolve_attrs(tenon_resolver *r, tenon_planned *e,
                                 const tenon_node *n, tenon_program_attrs *a,
                                 bool *is_open);
// What the step finds out; `index` is the step's own.
tenon_status tenon_resolve_decided(tenon_resolver *r, tenon_planned *e,
                                   const tenon_node *n, uint32_t index,
                                   tenon_step *step);
// A call of an open node with the sizes that are planned for; null and
// reported when there is none.
tenon_call *tenon_resolve_call(tenon_resolver *r, const tenon_planned *e,
                               const tenon_node *n);
// Whether what a kernel packs is the same for all sizes; reports if not.
tenon_status tenon_resolve_pack(tenon_resolver *r, const tenon_planned *e,
                                const tenon_kernel *k, const tenon_node *n,
                                const void *packed, size_t size);
// Behind everything: bindings, guards, and whether each number has a source.
tenon_status tenon_resolve_numbers(tenon_resolver *r);

#endif  // TENON_PLAN_RESOLVER_H
