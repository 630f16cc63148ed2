// ops/core/fast/core_fast_host.h - what the descriptors of the kernels in
// kern/isa/x86/ and kern/isa/aarch64/ share. They are compiled for the
// baseline, and exist on every machine: where the kernels are not compiled,
// they have no function to run and can be emitted alone.
#ifndef TENON_OPS_CORE_CORE_FAST_HOST_H
#define TENON_OPS_CORE_CORE_FAST_HOST_H

#include "ops/core/fast/core_fast.h"

#include "ops/core/core_rule.h"

#define TENON_KERNEL_ROW(name, form)                            \
  extern TENON_WEAK const tenon_source tenon_source_##name##_c; \
  extern CORE_KERNEL(name);
#include "kern/isa/aarch64/aarch64.def"  // made
#include "kern/isa/x86/x86.def"          // made
#undef TENON_KERNEL_ROW

// Functions, or null ones of the same names.
#define RANGE tenon_run_range_fn
#define TENON_CORE_HERE(name, form) form tenon_k_##name;
#define TENON_CORE_ELSEWHERE(name, form) enum { tenon_k_##name };
#ifdef TENON_KERN_X86
#define TENON_KERNEL_ROW TENON_CORE_HERE
#else
#define TENON_KERNEL_ROW TENON_CORE_ELSEWHERE
#endif
#include "kern/isa/x86/x86.def"  // made
#undef TENON_KERNEL_ROW
#ifdef TENON_KERN_AARCH64
#define TENON_KERNEL_ROW TENON_CORE_HERE
#else
#define TENON_KERNEL_ROW TENON_CORE_ELSEWHERE
#endif
#include "kern/isa/aarch64/aarch64.def"  // made
#undef TENON_KERNEL_ROW
#undef RANGE

// The first members of a descriptor; `name` is its row.
#define CORE_FAST(name, how_many) CORE_FAST_WITH(name, how_many, 0)
#define CORE_FAST_WITH(name, how_many, more)                            \
  .struct_size = sizeof(tenon_kernel_desc),                             \
  .flags = TENON_KERNEL_NOFAIL | (more), .symbol = "tenon_k_" #name,    \
  .run_range = (tenon_run_range_fn *)tenon_k_##name, .items = how_many, \
  .source = &tenon_source_##name##_c

// By instruction set: what a kernel is preferred with, and what it needs.
#define CORE_FAST_ON(isa) \
  .priority = CORE_FAST_RANK_##isa, .needs = CORE_FAST_NEEDS_##isa
// Of one row: before those of any rows.
#define CORE_FAST_RANK_avx512_row (CORE_FAST_RANK_avx512 + 5)
#define CORE_FAST_NEEDS_avx512_row CORE_FAST_NEEDS_avx512
// The same of what is left to it by kernels for as many features.
#define CORE_FAST_BEHIND(isa) \
  .priority = CORE_FAST_RANK_##isa - 5, .needs = CORE_FAST_NEEDS_##isa
#define CORE_FAST_RANK_sse2 10
#define CORE_FAST_RANK_avx2 20
#define CORE_FAST_RANK_avx512 30
#define CORE_FAST_RANK_avx512vnni 40
#define CORE_FAST_RANK_neon 20
#define CORE_FAST_RANK_dotprod 30
#define CORE_FAST_RANK_i8mm 40
#define CORE_FAST_NEEDS_sse2 "sse2"
#define CORE_FAST_NEEDS_avx2 "avx2 fma"
#define CORE_FAST_NEEDS_avx512 "avx512f avx512bw avx512vl avx512dq"
#define CORE_FAST_NEEDS_avx512vnni CORE_FAST_NEEDS_avx512 " avx512vnni"
#define CORE_FAST_NEEDS_neon "neon"
#define CORE_FAST_NEEDS_dotprod CORE_FAST_NEEDS_neon " dotprod"
#define CORE_FAST_NEEDS_i8mm CORE_FAST_NEEDS_dotprod " i8mm"
// A row for each that has a width of its own, and for those wider than SSE2.
#define FAST_WIDTHS(row) \
  row(sse2);             \
  FAST_WIDE(row)
#define FAST_WIDE(row) \
  row(avx2);           \
  row(avx512);         \
  row(neon)

// An operand that is absent, or a constant of known sizes.
TENON_INLINE bool tenon_core_is_constant(const tenon_tensor *t) {
  return !t->dtype || (t->data && tenon_core_is_known(t));
}

// Sizes may be open (less than zero), but for channels.
TENON_INLINE bool tenon_core_has_channels(const tenon_tensor *t) {
  for (int i = 0; i < t->rank; ++i)
    if (t->dims[i] == 0) return false;
  return t->rank > 0 && t->dims[t->rank - 1] > 0;
}

// Weights, bias, scale and shift are packed, so they have to be there. Other
// sizes matter to the number of items alone, which a run asks for again.
TENON_INLINE bool tenon_core_can_pack(const tenon_call *c) {
  for (uint32_t i = 2; i < c->n_in; ++i)
    if (c->in[i].dtype && !c->in[i].data) return false;
  return tenon_core_has_channels(&c->in[0]) && tenon_core_is_known(&c->in[1]) &&
         tenon_core_has_channels(&c->out[0]) && c->in[1].data;
}

// Scratch does not grow with the sizes everywhere, so they have to be known.
TENON_INLINE bool tenon_core_can_pack_known(const tenon_call *c) {
  return tenon_core_can_pack(c) && tenon_core_is_known(&c->in[0]) &&
         tenon_core_is_known(&c->out[0]);
}

// A descriptor of a product of floats with packed weights, bias, scale and
// shift. `how` names its items, extent and packed form.
#define CORE_FAST_F32_TYPES "f32, f32, f32?, f32?, f32? -> f32"
#define CORE_FAST_F32(name, its_op, how, version, its_match, isa, more,    \
                      its_scratch)                                         \
  CORE_FAST_F32_AS(NULL, name, its_op, how, version, its_match, isa, more, \
                   its_scratch)
#define CORE_FAST_F32_AS(its_order, name, its_op, how, version, its_match, \
                         isa, more, its_scratch)                           \
  CORE_KERNEL(name) = {CORE_FAST_WITH(name, how##_items, more),            \
                       .op = its_op,                                       \
                       .types = CORE_FAST_F32_TYPES,                       \
                       .order = its_order,                                 \
                       .match = its_match,                                 \
                       CORE_FAST_ON(isa),                                  \
                       .packs = 0x1e,                                      \
                       .pack_version = version,                            \
                       .pack_name = "tenon_" #how,                         \
                       .pack_size = tenon_core_##how##_pack_size,          \
                       .pack = tenon_core_##how##_pack,                    \
                       .pack_check = tenon_core_conv_f32_pack_check,       \
                       .scratch = its_scratch,                             \
                       .extent = how##_extent}

#endif  // TENON_OPS_CORE_CORE_FAST_HOST_H
