// How: the registry has sorted the candidates; the first that fits wins. A type
// fits when its element type and quantisation are among the alternatives and
// equal variables stand for equal types.
#include "bind/choose.h"
#include "base/put.h"

#include <string.h>

#include "bind/call.h"
#include "ir/written.h"
#include "reg/ordered.h"

// T and U of one kernel: what they stand for in this call.
typedef struct bindings {
  const tenon_type *variable[2];
} bindings;

static int suffix_index(const tenon_quant *q) {
  static const char *const names[] = {"", "q", "qc", "qb"};
  const char *suffix = tenon_quant_suffix(q);
  for (int i = 0; i < 4; ++i)
    if (strcmp(names[i], suffix) == 0) return i;
  return 0;
}

static bool type_fits(const tenon_kernel_type *k, const tenon_value *v,
                      bindings *b) {
  if (!v) return k->is_optional;
  const tenon_type *t = &v->type;
  if (k->bytes) {
    const tenon_dtype_info *info = tenon_dtype_look(t->dtype);
    return info && info->bits == k->bytes * 8;
  }
  if (k->variable) {
    const tenon_type **bound = &b->variable[k->variable == 'T' ? 0 : 1];
    if (!*bound) *bound = t;
    return (*bound)->dtype == t->dtype &&
           suffix_index((*bound)->quant) == suffix_index(t->quant);
  }
  return t->dtype < 64 &&
         (k->dtypes[suffix_index(t->quant)] >> t->dtype & 1) != 0;
}

// Flattened operands against the kernel's list: one entry per tensor argument,
// `...` takes its whole group. Those behind the list are absent.
static bool operands_fit(const tenon_kernel *k, const tenon_node *n,
                         bindings *b) {
  uint32_t at = 0;
  for (int i = 0; i < k->n_in; ++i) {
    int first = 0;
    int count = tenon_node_group(n, i, &first);
    if (!k->in[i].is_list && count != 1) return false;
    for (int j = 0; j < count; ++j)
      if (!type_fits(&k->in[i], tenon_node_in(n, (uint32_t)(first + j)), b))
        return false;
    at = (uint32_t)(first + count);
  }
  while (at < n->n_in && !n->in[at].value)  // what its types leave out
    ++at;
  return at == n->n_in;
}

static bool result_fits(const tenon_kernel_type *k, const tenon_node *n,
                        uint32_t at, bindings *b) {
  if (tenon_result_is_none(n, at)) return k->is_optional;
  return type_fits(k, n->out[at], b) || tenon_written_is_absent(n, at);
}

static bool results_fit(const tenon_kernel *k, const tenon_node *n,
                        bindings *b) {
  uint32_t at = 0;
  for (int i = 0; i < k->n_out; ++i) {
    uint32_t count = 1;
    if (n->out_group) {
      at = n->out_group[i];
      count = (uint32_t)(n->out_group[i + 1] - n->out_group[i]);
    }
    if (at + count > n->n_out || (!k->out[i].is_list && count != 1))
      return false;
    for (uint32_t j = 0; j < count; ++j)
      if (!result_fits(&k->out[i], n, at + j, b)) return false;
    at += count;
  }
  return at == n->n_out;
}

static void choose_say(tenon_buf *why, const tenon_kernel *k,
                       const char *reason) {
  if (why)
    tenon_put(why, "$: $\n", k->desc->symbol ? k->desc->symbol : "?", reason);
}

// The kernel that `choice->forced` names for this operator; null: none.
static const char *forced_of(const tenon_choice *choice, const tenon_node *n) {
  const char *name = n->op->plain ? n->op->plain->name : n->op->name;
  if (!choice->forced) return NULL;
  for (const char *const *f = choice->forced; *f; ++f) {
    const char *equals = strchr(*f, '=');
    if (!equals) continue;
    size_t size = (size_t)(equals - *f);
    if (strlen(name) == size && memcmp(*f, name, size) == 0) return equals + 1;
  }
  return NULL;
}

bool tenon_choose_forces_order(const tenon_choice *choice,
                               const tenon_node *n) {
  const char *forced = forced_of(choice, n);
  return forced && tenon_ordered_by_symbol(n->op, forced);
}

static const char NO_MATCH[] = "does not match these shapes or attributes";

// *words: why not, in the kernel's own words, or null.
static bool choose_matches(const tenon_kernel *k, const tenon_node *n,
                           tenon_arena *scratch, const char **words) {
  tenon_fault fault = {NULL, {0, 0}};
  tenon_arena_mark mark = tenon_arena_save(scratch);
  tenon_call *call = tenon_bind_call_packed(scratch, n, k);
  if (call) call->user = k->desc->user;
  if (call) call->fault = &fault;
  bool is_match = call && k->desc->match(call);
  tenon_arena_restore(scratch, mark);
  *words = fault.text;
  return is_match;
}

// Of what TENON_KERNEL_MEASURES_ALL counts.
#define MOST_MEASURED 64

static bool measures_too_much(const tenon_kernel *k, const tenon_node *n) {
  uint32_t dims = 0;
  for (uint32_t i = 0; i < n->n_out; ++i)
    dims += n->out[i]->type.rank;
  return (k->desc->flags & TENON_KERNEL_MEASURES_ALL) && n->n_decided > 0 &&
         dims > MOST_MEASURED;
}

static bool mentions(const tenon_symbols *all, tenon_dim d, uint32_t symbol) {
  if (d.symbol == 0 || d.symbol == symbol) return d.symbol == symbol;
  const tenon_symbol *s = tenon_symbols_look(all, d.symbol);
  return s->op != 0 &&
         (mentions(all, s->a, symbol) || mentions(all, s->b, symbol));
}

// What is decided beside results and is in no size of one: it does not follow
// from these.
static bool leaves_a_number(const tenon_kernel *k, const tenon_node *n) {
  const tenon_symbols *all = &n->graph->module->symbols;
  bool is_all = (k->desc->flags & TENON_KERNEL_MEASURES_ALL) && n->n_out > 0;
  for (uint32_t i = 0; is_all && i < n->n_decided; ++i) {
    bool is_said = false;
    for (uint32_t r = 0; r < n->n_out; ++r)
      for (int d = 0; d < n->out[r]->type.rank; ++d)
        is_said |= mentions(all, n->out[r]->type.dims[d], n->decided[i]);
    if (!is_said) return true;
  }
  return false;
}

// What is written and the result that it becomes are at one address.
static bool reshapes_what_it_writes(const tenon_node *n) {
  uint32_t operand = 0, result = 0;
  for (uint32_t k = 0; tenon_written_pair(n, k, &operand, &result); ++k) {
    const tenon_value *v = n->in[operand].value;
    if (v && !tenon_type_may_equal(&v->type, &n->out[result]->type))
      return true;
  }
  return false;
}

// Whether the model bounds a size of a result by less than the rule does: only
// who measures it first knows whether it has room.
static bool has_no_room(const tenon_kernel *k, const tenon_node *n) {
  const tenon_symbols *all = &n->graph->module->symbols;
  for (uint32_t i = 0; !k->desc->measure && i < n->n_decided; ++i) {
    const tenon_symbol *s = tenon_symbols_look(all, n->decided[i]);
    const tenon_symbol *most = tenon_symbols_look(all, s->most.symbol);
    if (s->max < (most ? most->max : s->most.value) &&
        tenon_node_is_sized_by(n, n->decided[i]))
      return true;
  }
  return false;
}

bool tenon_choose_takes_strides(const tenon_kernel *k, const tenon_node *n,
                                uint32_t i) {
  // Lists have an entry for all of their tensors.
  if (!k->desc->order || n->in_group || (i < 32 && k->desc->packs >> i & 1))
    return false;
  const char *arrow = strstr(k->desc->order, "->");
  if (!arrow) return false;
  tenon_text rest = {k->desc->order, (size_t)(arrow - k->desc->order)}, entry;
  for (uint32_t at = 0; tenon_text_next(&rest, ',', &entry); ++at)
    if (at == i) return tenon_text_is(tenon_text_trim(entry), "*");
  return false;
}

// Tensors of a program file may have strides already.
static bool strides_fit(const tenon_kernel *k, const tenon_node *n) {
  for (uint32_t i = 0; i < n->n_in; ++i)
    if (n->in[i].value && n->in[i].value->strides &&
        !tenon_choose_takes_strides(k, n, i))
      return false;
  return true;
}

static const char *choose_refuse(const tenon_choice *choice,
                                 const tenon_node *n, const tenon_kernel *k,
                                 tenon_arena *scratch) {
  if (choice->reference_only && !k->is_reference) return "not the reference";
  const char *forced = forced_of(choice, n);
  if (forced && strcmp(forced, k->desc->symbol) != 0)
    return "another kernel was asked for";
  if (!tenon_target_has(choice->target, k->desc->needs))
    return "the target lacks a feature it needs";
  bindings b = {{NULL, NULL}};
  if (measures_too_much(k, n)) return "has too many dimensions to measure";
  if (reshapes_what_it_writes(n)) return "cannot reshape what it writes";
  if (leaves_a_number(k, n)) return "cannot measure numbers beside results";
  if (has_no_room(k, n)) return "cannot measure a result bounded by less";
  if (!strides_fit(k, n)) return "takes no strides";
  // Without types: any; only kernels of wildcards may be so.
  if (k->desc->types && (!operands_fit(k, n, &b) || !results_fit(k, n, &b)))
    return "made for other types";
  if (!k->desc->match) return NULL;
  const char *words = NULL;
  if (choose_matches(k, n, scratch, &words)) return NULL;
  return words ? words : NO_MATCH;
}

// Another that fits and has no less right to: `k` is then no choice.
static const tenon_kernel *find_rival(const tenon_choice *choice,
                                      const tenon_node *n,
                                      const tenon_kernel *k,
                                      tenon_arena *scratch) {
  if (!(k->desc->flags & TENON_KERNEL_ALONE)) return NULL;
  for (uint32_t i = 0; i < n->op->n_kernels; ++i) {
    const tenon_kernel *other = n->op->kernels[i];
    if (other != k && (other->desc->flags & TENON_KERNEL_ALONE) &&
        other->desc->priority == k->desc->priority &&
        other->n_features == k->n_features &&
        !choose_refuse(choice, n, other, scratch))
      return other;
  }
  return NULL;
}

const tenon_kernel *tenon_choose(const tenon_choice *choice,
                                 const tenon_node *n, tenon_arena *scratch,
                                 tenon_buf *why) {
  if (!n->op) return NULL;
  const tenon_kernel *chosen = NULL;
  for (uint32_t i = 0; i < n->op->n_kernels; ++i) {
    const tenon_kernel *k = n->op->kernels[i];
    if (chosen) {
      choose_say(why, k, "a better one comes first");
      continue;
    }
    const char *reason = choose_refuse(choice, n, k, scratch);
    if (reason) {
      // What serves reference_only is any reference when the first of an
      // operator has other types; the reason stays the one that decided.
      choose_say(why, k, reason);
      continue;
    }
    chosen = k;
    if (!why) break;
  }
  return chosen && find_rival(choice, n, chosen, scratch) ? NULL : chosen;
}

bool tenon_choose_is_structural(const tenon_op *op) {
  static const char *const names[] = {"core::state_read", "core::state_write",
                                      "core::cond", "core::while",
                                      "core::call"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    if (op && strcmp(op->name, names[i]) == 0) return true;
  return false;
}

bool tenon_choose_covers(const tenon_choice *choice, const tenon_node *n,
                         tenon_arena *scratch) {
  return tenon_choose_is_structural(n->op) ||
         tenon_choose(choice, n, scratch, NULL) != NULL;
}

bool tenon_choose_covers_early(const tenon_choice *choice, const tenon_node *n,
                               tenon_arena *scratch) {
  if (tenon_choose_is_structural(n->op)) return true;
  const tenon_kernel *k = tenon_choose(choice, n, scratch, NULL);
  return k && (k->desc->priority >= 0 || forced_of(choice, n));
}

static const char *result_name(const tenon_node *n, uint32_t i) {
  return tenon_result_is_none(n, i) ? "none"
                                    : tenon_dtype_name(n->out[i]->type.dtype);
}

static void print_types(const tenon_node *n, tenon_buf *out) {
  for (uint32_t i = 0; i < n->n_in; ++i) {
    const tenon_value *v = n->in[i].value;
    tenon_put(out, "$$$", i ? ", " : "",
              v ? tenon_dtype_name(v->type.dtype) : "none",
              v ? tenon_quant_suffix(v->type.quant) : "");
  }
  tenon_buf_text(out, " -> ");
  for (uint32_t i = 0; i < n->n_out; ++i)
    tenon_put(out, "$$$", i ? ", " : "", result_name(n, i),
              tenon_quant_suffix(n->out[i]->type.quant));
}

bool tenon_choose_lacks_complex(const tenon_node *n) {
  if (!n->op || !n->op->desc || !tenon_node_is_complex(n)) return false;
  for (uint32_t i = 0; i < n->op->n_kernels; ++i) {
    const char *types = n->op->kernels[i]->desc->types;
    if (!types || strstr(types, "c64") || strstr(types, "c128")) return false;
  }
  return true;
}

// What a kernel's `types` say of result i, as they are written.
static tenon_text result_text(const tenon_kernel *k, int i) {
  const char *arrow = strstr(k->desc->types, "->");
  tenon_text rest = tenon_text_of(arrow ? arrow + 2 : ""), piece = rest;
  for (; i >= 0 && tenon_text_next(&rest, ',', &piece); --i) {
  }
  return tenon_text_trim(piece);
}

// Which of the results that stand for entry i of a kernel's list is of another
// type; or null.
static const tenon_value *other_result(const tenon_kernel *k,
                                       const tenon_node *n, int i,
                                       bindings *b) {
  uint32_t at = (uint32_t)i, end = at + 1;
  if (n->out_group) {
    at = n->out_group[i];
    end = n->out_group[i + 1];
  }
  for (; at < end && at < n->n_out; ++at)
    if (!result_fits(&k->out[i], n, at, b)) return n->out[at];
  return NULL;
}

// The first kernel for these operands: which result it gives another type.
static void explain_result(const tenon_node *n, tenon_buf *out) {
  const tenon_kernel *k = NULL;
  bool has_rule = n->op->desc && n->op->desc->infer;
  bindings b = {{NULL, NULL}};
  for (uint32_t i = 0; !k && i < n->op->n_kernels; ++i) {
    b = (bindings){{NULL, NULL}};
    if (n->op->kernels[i]->desc->types &&
        operands_fit(n->op->kernels[i], n, &b))
      k = n->op->kernels[i];
  }
  if (!k || k->n_out != (n->out_group ? n->n_out_groups : n->n_out)) return;
  for (int i = 0; i < k->n_out; ++i) {
    const tenon_value *v = other_result(k, n, i, &b);
    tenon_text text = result_text(k, i);
    if (!v) continue;
    tenon_buf_format(out,
                     "; result %u is %s%s %s, %.*s by kernel '%s' of "
                     "plugin '%s'",
                     (unsigned)v->index, result_name(n, v->index),
                     tenon_quant_suffix(v->type.quant),
                     has_rule ? "by the shape rule" : "in the model",
                     (int)text.size, text.data,
                     k->desc->symbol ? k->desc->symbol : "?", k->owner->name);
    return;
  }
}

// Of a kernel of these very types, what else speaks against it.
static void explain_fitting(const tenon_choice *choice, const tenon_node *n,
                            const tenon_kernel *k, tenon_arena *scratch,
                            tenon_buf *out) {
  bindings b = {{NULL, NULL}};
  if (!k->desc->types || !operands_fit(k, n, &b) || !results_fit(k, n, &b))
    return;
  if (!tenon_target_has(choice->target, k->desc->needs)) {
    tenon_put(out, " ('$' needs '$')", k->desc->symbol, k->desc->needs);
    return;
  }
  const char *reason = choose_refuse(choice, n, k, scratch);
  if (reason) tenon_buf_format(out, " ('%s': %s)", k->desc->symbol, reason);
}

// Of a kernel of any types, what it says itself.
static void explain_any(const tenon_choice *choice, const tenon_node *n,
                        const tenon_kernel *k, tenon_arena *scratch,
                        tenon_buf *out) {
  const char *reason = choose_refuse(choice, n, k, scratch);
  if (reason && reason != NO_MATCH) tenon_buf_format(out, ": %s", reason);
}

// Why the kernel that was asked for is not taken; false: none was.
static bool explain_forced(const tenon_choice *choice, const tenon_node *n,
                           tenon_arena *scratch, tenon_buf *out) {
  const char *forced = forced_of(choice, n);
  for (uint32_t i = 0; forced && i < n->op->n_kernels; ++i) {
    const tenon_kernel *k = n->op->kernels[i];
    if (strcmp(k->desc->symbol, forced) != 0) continue;
    const char *reason = choose_refuse(choice, n, k, scratch);
    tenon_put(out, "the kernel '$', which was asked for: $ (", forced,
              reason ? reason : "comes after lowerings");
    print_types(n, out);
    tenon_buf_format(out, "); leave out '--kernel %s=%s'", n->op->name, forced);
    return true;
  }
  if (!forced || !tenon_ordered_by_symbol(n->op, forced)) return false;
  tenon_put(out,
            "the kernel '$', which was asked for and takes tensors in "
            "another order: made for other types or shapes (",
            forced);
  print_types(n, out);
  tenon_buf_format(out, "); leave out '--kernel %s=%s'", n->op->name, forced);
  return true;
}

// The first that fits, if another fits alike.
static const tenon_kernel *find_rivals(const tenon_choice *choice,
                                       const tenon_node *n,
                                       tenon_arena *scratch,
                                       const tenon_kernel **other) {
  uint32_t i = 0;
  while (i < n->op->n_kernels &&
         choose_refuse(choice, n, n->op->kernels[i], scratch))
    ++i;
  if (i == n->op->n_kernels) return NULL;
  *other = find_rival(choice, n, n->op->kernels[i], scratch);
  return *other ? n->op->kernels[i] : NULL;
}

static bool explain_rivals(const tenon_choice *choice, const tenon_node *n,
                           tenon_arena *scratch, tenon_buf *out) {
  const tenon_kernel *other = NULL;
  const tenon_kernel *k = find_rivals(choice, n, scratch, &other);
  if (!k) return false;
  tenon_put(
      out, "the kernels '$' of plugin '$' and '$' of plugin '$' fit alike (",
      k->desc->symbol, k->owner->name, other->desc->symbol, other->owner->name);
  print_types(n, out);
  tenon_put(out, "): change their conditions, or say '--kernel $=$'",
            n->op->name, k->desc->symbol);
  return true;
}

bool tenon_choose_must_tell(const tenon_choice *choice, const tenon_node *n,
                            tenon_arena *scratch) {
  const tenon_kernel *other = NULL;
  return n->op && n->op->desc &&
         (forced_of(choice, n) || find_rivals(choice, n, scratch, &other));
}

// Those for tensors in another order, which no permuting has made fit.
static void explain_ordered(const tenon_node *n, bool is_first,
                            tenon_buf *out) {
  for (const struct tenon_ordered *o = n->op->ordered; o; o = o->next)
    for (uint32_t i = 0; i < o->op->n_kernels; ++i, is_first = false) {
      const tenon_kernel_desc *k = o->op->kernels[i]->desc;
      tenon_put(out, "$'$' in order '$' ('$')", is_first ? "" : ", ", k->types,
                k->order, k->symbol);
    }
}

void tenon_choose_said(const tenon_node *n, tenon_arena *scratch,
                       tenon_buf *out) {
  for (uint32_t i = 0; n->op && i < n->op->n_kernels; ++i) {
    const tenon_kernel *k = n->op->kernels[i];
    const char *words = NULL;
    if (k->desc->types || !k->desc->match ||
        choose_matches(k, n, scratch, &words) || !words)
      continue;
    tenon_put(out, "; '$' is not for '$': $", k->desc->symbol, n->op->name,
              words);
  }
}

// Whether kernels i and j are for the same types, which are said once.
static bool has_types_of(const tenon_node *n, uint32_t i, uint32_t j) {
  const char *a = n->op->kernels[i]->desc->types;
  const char *b = n->op->kernels[j]->desc->types;
  return i == j || (a && b && strcmp(a, b) == 0);
}

static bool is_said_before(const tenon_node *n, uint32_t i) {
  for (uint32_t j = 0; j < i; ++j)
    if (has_types_of(n, i, j)) return true;
  return false;
}

void tenon_choose_explain(const tenon_choice *choice, const tenon_node *n,
                          tenon_arena *scratch, tenon_buf *out) {
  if (!n->op || !n->op->desc) {
    tenon_buf_text(out, "unknown operator");
    return;
  }
  if (explain_forced(choice, n, scratch, out) ||
      explain_rivals(choice, n, scratch, out))
    return;
  if (tenon_choose_lacks_complex(n)) {
    tenon_buf_text(out, "complex numbers are not supported ('");
    print_types(n, out);
    tenon_buf_text(out, "')");
    return;
  }
  tenon_buf_text(out, "no kernel for types '");
  print_types(n, out);
  tenon_buf_format(out, "' on %s", choice->target->name);
  if (n->op->n_kernels == 0 && !n->op->ordered) {
    tenon_buf_text(out, "; there are none");
    return;
  }
  tenon_buf_text(out, "; there are ");
  for (uint32_t i = 0; i < n->op->n_kernels; ++i) {
    const tenon_kernel_desc *k = n->op->kernels[i]->desc;
    if (is_said_before(n, i)) continue;
    // One without types decides for itself.
    tenon_put(out, "$'$'$", i ? ", " : "", k->types ? k->types : k->symbol,
              k->types ? "" : ", which does not match");
    if (!k->types) explain_any(choice, n, n->op->kernels[i], scratch, out);
    for (uint32_t j = i; j < n->op->n_kernels; ++j)
      if (has_types_of(n, j, i))
        explain_fitting(choice, n, n->op->kernels[j], scratch, out);
  }
  explain_ordered(n, n->op->n_kernels == 0, out);
  explain_result(n, out);
}
