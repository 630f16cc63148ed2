// reg/admit/admit_kernel.c - descriptors of kernels and the texts they come
// from.
//
// What a kernel says of itself is checked at once; what it says of an operator
// (how many operands, which of them it packs, names in its template) as soon as
// the operator is known: for a kernel inside an operator's descriptor at once
// too, for another when the context freezes.
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "core/template.h"
#include "reg/admit/admit.h"
#include "reg/kernel_types.h"
#include "reg/ordered.h"
#include "reg/store.h"

static tenon_status incomplete(const tenon_subject *s, const char *remedy,
                               const char *what) {
  return tenon_refuse(s, TENON_BAD_PLUGIN, "plugin-incomplete", remedy, "%s",
                      what);
}

// Members that need each other.
static tenon_status check_members(const tenon_subject *s,
                                  const tenon_kernel_desc *k) {
  bool can_emit = k->emit_template || k->emit || k->source || s->owner->source;
  if (k->run && k->run_range)
    return incomplete(s, "one of the two is enough",
                      "the kernel has both run and run_range");
  if (!k->run && !k->run_range && !can_emit)
    return incomplete(s, "set run, run_range, emit_template, emit or source",
                      "the kernel can neither run nor be emitted");
  if (k->run_range && !k->items)
    return incomplete(s, "items says how many there are to divide",
                      "the kernel has run_range without items");
  if (k->run && (k->items || k->grain))
    return incomplete(s, "a kernel that can be divided has run_range",
                      "the kernel has items or grain without run_range");
  if (k->grain && !k->items)
    return incomplete(s, "grain is a number of items",
                      "the kernel has grain without items");
  if (k->turns && !k->items)
    return incomplete(s, "turns have as many items each",
                      "the kernel has turns without items");
  if (!k->pack != !k->pack_size)
    return incomplete(s, "the two go together",
                      "the kernel has one of pack and pack_size");
  if (k->pack_head % 4 || k->pack_head > TENON_PACK_HEAD)
    return incomplete(s, "set pack_head to a multiple of 4, at most 256",
                      "the kernel packs a head of no whole words, or too long");
  if (!k->pack && (k->packs || k->pack_name || k->pack_version ||
                   k->pack_head || k->pack_check))
    return incomplete(s, "set pack and pack_size",
                      "the kernel packs operands without a pack function");
  if ((k->flags & TENON_KERNEL_MEASURES_ALL) && !k->measure)
    return incomplete(s, "set measure, or leave the flag out",
                      "the kernel measures all sizes without measure");
  if (k->align & (k->align - 1))
    return incomplete(s, NULL, "align is not a power of two");
  return TENON_OK;
}

static uint16_t count_words(const char *text) {
  tenon_text rest = tenon_text_of(text), word;
  uint16_t n = 0;
  while (tenon_text_next(&rest, ' ', &word))
    n = (uint16_t)(n + (word.size != 0));
  return n;
}

static tenon_status admit_kernel_check_op(tenon_context *cx,
                                          const tenon_subject *s,
                                          const tenon_op *home,
                                          tenon_kernel_desc *k) {
  const char *set = NULL, *base = NULL, *overload = NULL, *name = NULL;
  bool is_name = k->op && tenon_name_parse(&cx->arena, k->op, &name, &set,
                                           &base, &overload);
  if (cx->arena.failed) return tenon_fail_memory(&cx->report, "parsing a name");
  if (!is_name && (k->op || !home)) {
    return tenon_refuse(s, TENON_BAD_PLUGIN, "plugin-op-name",
                        "ns::name, ns::name.overload, ns::name.* or ns::*",
                        "'%s' is no name of an operator",
                        k->op ? k->op : "(null)");
  }
  if (home && name && strcmp(home->name, name) != 0) {
    return tenon_refuse(s, TENON_BAD_PLUGIN, "plugin-op-name",
                        "leave .op out, or list the kernel in the plugin",
                        "a kernel for '%s' in the descriptor of '%s'", name,
                        home->name);
  }
  k->op = home ? home->name : name;
  return TENON_OK;
}

// What others are compared with must run everywhere. An operator may have a
// reference per element type, so every plain kernel of its descriptor is one.
static bool admit_kernel_is_plain(const tenon_kernel *kernel) {
  return kernel->desc->priority == 0 && kernel->n_features == 0;
}

static tenon_status refuse_reference(const tenon_subject *s,
                                     const tenon_kernel *kernel) {
  return tenon_refuse(s, TENON_BAD_PLUGIN, "plugin-reference",
                      "put a kernel of plain C first, with priority 0",
                      "the first kernel of an operator is its reference; this "
                      "one has priority %d and needs '%s'",
                      (int)kernel->desc->priority,
                      kernel->desc->needs ? kernel->desc->needs : "");
}

// Walks the template to its end. A null schema checks the grammar alone.
static bool check_template(const tenon_kernel_desc *k,
                           const tenon_schema *schema,
                           char error[TENON_ADMIT_ERROR]) {
  tenon_template t;
  tenon_piece piece;
  if (!k->emit_template) return true;
  tenon_template_init(&t, k->emit_template, schema);
  while (tenon_template_next(&t, &piece)) {
    bool has_none = (piece.kind == TENON_PIECE_SCRATCH && !k->scratch) ||
                    (piece.kind == TENON_PIECE_PACKED && !k->pack);
    if (!has_none) continue;
    snprintf(error, TENON_ADMIT_ERROR,
             "line %u of the template: '%.*s' of a kernel without %s",
             (unsigned)piece.line, (int)piece.text.size, piece.text.data,
             piece.kind == TENON_PIECE_PACKED ? "pack" : "scratch");
    return false;
  }
  if (!t.has_failed) return true;
  snprintf(error, TENON_ADMIT_ERROR, "line %u of the template: %s",
           (unsigned)t.line, t.error);
  return false;
}

// Operands and results that members name by bit.
static bool check_bits(const tenon_kernel *kernel, char *error) {
  const tenon_kernel_desc *k = kernel->desc;
  bool has_list = !k->types;
  for (unsigned i = 0; i < kernel->n_in; ++i)
    has_list = has_list || kernel->in[i].is_list;
  if (has_list) return true;
  if (kernel->n_in < 32 && k->packs >> kernel->n_in != 0) {
    snprintf(error, TENON_ADMIT_ERROR,
             "packs 0x%x names operands past the %u that there are",
             (unsigned)k->packs, (unsigned)kernel->n_in);
    return false;
  }
  for (unsigned bit = 0; bit < 32; ++bit) {
    if (!(k->in_place >> bit & 1u)) continue;
    if (bit / 8 < kernel->n_out && bit % 8 < kernel->n_in) continue;
    snprintf(error, TENON_ADMIT_ERROR,
             "in_place names result %u and operand %u of a kernel of types "
             "'%s'",
             bit / 8, bit % 8, k->types);
    return false;
  }
  return true;
}

bool tenon_kernel_serves(const tenon_kernel *kernel, const tenon_schema *schema,
                         char error[TENON_ADMIT_ERROR]) {
  error[0] = 0;
  return tenon_kernel_types_fit(kernel, schema, error, TENON_ADMIT_ERROR) &&
         check_template(kernel->desc, schema, error);
}

// A plugin given as C source is the text of its kernels, unless their `user`
// ties them to this process.
static tenon_status find_source(tenon_context *cx, const tenon_owner *owner,
                                tenon_kernel *kernel) {
  const tenon_kernel_desc *k = kernel->desc;
  char name[256];
  if (k->source)
    return tenon_admit_source(cx, owner, k->symbol, k->source, &kernel->source);
  if (!owner->source || k->user) return TENON_OK;
  const char *file = owner->origin ? strrchr(owner->origin, '/') : NULL;
  file = file ? file + 1 : owner->origin ? owner->origin : "plugin.c";
  snprintf(name, sizeof name, "%s/%s", owner->name, file);
  tenon_source source = {sizeof source, 0, name, owner->source, NULL};
  return tenon_admit_source(cx, owner, k->symbol, &source, &kernel->source);
}

// Programs have dense tensors, outermost dimension first. A kernel for others
// is served by permuting them, where that can be said (reg/ordered.h).
static tenon_status check_order(const tenon_subject *s, tenon_kernel *kernel) {
  kernel->is_ordered = tenon_order_is_other(kernel->desc->order);
  const char *reason = kernel->is_ordered ? tenon_order_refusal(kernel) : NULL;
  if (!reason) return TENON_OK;
  return tenon_refuse(s, TENON_BAD_PLUGIN, "plugin-order",
                      "lower the operator to core::permute and one whose "
                      "operands have that order, or index by `dims`",
                      "the order '%s' %s: tensors of every program lie "
                      "outermost dimension first",
                      kernel->desc->order, reason);
}

static tenon_status admit_kernel_check_types(tenon_context *cx,
                                             const tenon_subject *s,
                                             tenon_kernel *kernel) {
  char error[TENON_ADMIT_ERROR];
  const tenon_kernel_desc *k = kernel->desc;
  if (!k->types && !tenon_name_is_wildcard(k->op))
    return incomplete(s, "such as \"f32, f32 -> f32\"",
                      "the kernel has no types");
  if (!tenon_kernel_types_parse(&cx->arena, kernel, error, sizeof error)) {
    if (cx->arena.failed)
      return tenon_fail_memory(&cx->report, "parsing types");
    return tenon_refuse(s, TENON_BAD_PLUGIN, "plugin-types", NULL,
                        "types '%s': %s", k->types ? k->types : "", error);
  }
  TENON_TRY(check_order(s, kernel));
  if (!check_bits(kernel, error))
    return tenon_refuse(s, TENON_BAD_PLUGIN, "plugin-types", NULL, "%s", error);
  // A kernel on its own is compared with its operator when that is known; a
  // word that no template has is wrong already.
  if (kernel->op ? !tenon_kernel_serves(kernel, kernel->op->schema, error)
                 : !check_template(k, NULL, error)) {
    return tenon_refuse(s, TENON_BAD_PLUGIN, "plugin-kernel", NULL, "%s",
                        error);
  }
  return TENON_OK;
}

tenon_status tenon_admit_kernel(tenon_context *cx, const tenon_owner *owner,
                                const tenon_op *home, size_t index,
                                const tenon_kernel_desc *in,
                                tenon_kernel **out) {
  tenon_kernel_desc desc;
  tenon_kernel kernel = {.owner = owner, .op = home};
  tenon_subject s = {cx, owner, "kernel", NULL};
  TENON_TRY(tenon_admit_copy(&s, &desc, sizeof desc, in));
  s.name = desc.symbol;
  if (!tenon_text_is_identifier(tenon_text_of(desc.symbol)))
    return incomplete(&s, "it is the name of the C function",
                      "the kernel's symbol is no identifier of C");
  TENON_TRY(tenon_admit_flags(
      &s, desc.flags,
      TENON_KERNEL_NOFAIL | TENON_KERNEL_OVERRIDES | TENON_KERNEL_ZERO_OUT |
          TENON_KERNEL_ALONE | TENON_KERNEL_MEASURES_ALL |
          TENON_KERNEL_PACKS_STRIDED | TENON_KERNEL_DENSE_FIRST));
  TENON_TRY(admit_kernel_check_op(cx, &s, home, &desc));
  TENON_TRY(check_members(&s, &desc));
  kernel.desc = tenon_arena_copy(&cx->arena, &desc, sizeof desc,
                                 _Alignof(tenon_kernel_desc));
  if (!kernel.desc) return tenon_fail_memory(&cx->report, "adding a kernel");
  kernel.n_features = count_words(desc.needs ? desc.needs : "");
  kernel.is_reference = home && admit_kernel_is_plain(&kernel);
  if (home && index == 0 && !kernel.is_reference)
    return refuse_reference(&s, &kernel);
  TENON_TRY(admit_kernel_check_types(cx, &s, &kernel));
  TENON_TRY(find_source(cx, owner, &kernel));
  *out = tenon_arena_copy(&cx->arena, &kernel, sizeof kernel,
                          _Alignof(tenon_kernel));
  return *out ? TENON_OK : tenon_fail_memory(&cx->report, "adding a kernel");
}
