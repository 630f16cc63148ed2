// How: the order is cut into an entry per operand and result; the name of the
// operator beside is made of those that are not plain. Descriptor and schema
// are copies but for the name, without what speaks of shapes.
#include "reg/ordered.h"

#include <string.h>

#include "base/buf.h"
#include "base/text.h"
#include "reg/store.h"

static bool is_other(tenon_text word) {
  for (size_t i = 1; i < word.size; ++i)
    if (word.data[i] < word.data[i - 1]) return true;
  return false;
}

// The entries of one side of the arrow, in turn; false: no more.
static bool next_entry(tenon_text *rest, tenon_text *out) {
  if (!tenon_text_next(rest, ',', out)) return false;
  *out = tenon_text_trim(*out);
  return true;
}

static void ordered_split(const char *order, tenon_text *in, tenon_text *out) {
  const char *arrow = strstr(order, "->");
  in->data = order;
  in->size = (size_t)(arrow - order);
  *in = tenon_text_trim(*in);
  *out = tenon_text_trim(tenon_text_of(arrow + 2));
}

// Entries and alternatives alike: whether one is no order of a program.
static bool has_other(tenon_text list) {
  tenon_text entry, word;
  while (next_entry(&list, &entry))
    while (tenon_text_next(&entry, '|', &word))
      if (is_other(tenon_text_trim(word))) return true;
  return false;
}

bool tenon_order_is_other(const char *order) {
  tenon_text in, out;
  if (!order || !strstr(order, "->")) return false;
  ordered_split(order, &in, &out);
  return has_other(in) || has_other(out);
}

// A list lies outermost dimension first, since its tensors may differ in rank.
static bool has_other_list(tenon_text list, const tenon_kernel_type *types) {
  tenon_text entry;
  for (unsigned i = 0; next_entry(&list, &entry); ++i)
    if (types[i].is_list && is_other(entry)) return true;
  return false;
}

const char *tenon_order_refusal(const tenon_kernel *kernel) {
  const tenon_kernel_desc *k = kernel->desc;
  tenon_text in, out;
  ordered_split(k->order, &in, &out);
  if (strchr(k->order, '|')) return "of several orders for one tensor";
  if (tenon_name_is_wildcard(k->op)) return "for any operator";
  if (k->measure) return "with results whose sizes it finds out";
  for (unsigned i = 0; i < kernel->n_out; ++i)
    if (kernel->out[i].is_list) return "with a list of results";
  if (has_other_list(in, kernel->in)) return "of a list of tensors";
  return NULL;
}

// --- the operator ------------------------------------------------------------

static void ordered_put_list(tenon_buf *out, tenon_text list) {
  tenon_text entry;
  while (next_entry(&list, &entry)) {
    if (entry.size == 0) continue;
    tenon_buf_char(out, '_');
    if (is_other(entry))
      tenon_buf_add(out, entry.data, entry.size);
    else
      tenon_buf_char(out, 'x');
  }
}

// "acme::scale.order_0231_to_0231"; behind an overload, "aten::add.Tensor" and
// "_order_...".
static void ordered_put_name(tenon_buf *out, const tenon_op *op,
                             const char *order) {
  tenon_text ins, outs;
  ordered_split(order, &ins, &outs);
  tenon_buf_format(out, "%s%corder", op->name,
                   op->schema->overload[0] ? '_' : '.');
  ordered_put_list(out, ins);
  tenon_buf_text(out, "_to");
  ordered_put_list(out, outs);
}

// The schema of `op` under another name.
static bool ordered_make_schema(tenon_arena *arena, const tenon_op *op,
                                const char *name, tenon_schema *out,
                                const char **text) {
  tenon_buf buf;
  size_t base = strlen(op->schema->set) + 2 + strlen(op->schema->base) + 1;
  *out = *op->schema;
  out->name = name;
  out->overload = name + base;
  tenon_buf_init(&buf, arena->allocator);
  tenon_schema_print(out, &buf);
  *text = buf.failed ? NULL : tenon_arena_text(arena, buf.data, buf.size);
  tenon_buf_deinit(&buf);
  return *text != NULL;
}

// Shapes are those that the lowering says; nothing of a file means it, and its
// operands are not alike.
static tenon_op *make_op(tenon_arena *arena, const tenon_kernel *kernel,
                         const tenon_op *plain, const char *name) {
  tenon_op_desc desc = {
      .struct_size = sizeof desc,
      .flags = plain->desc->flags & (TENON_OP_PURE | TENON_OP_DROPPABLE),
      .doc = "Made for kernels of another dimension order.",
      .attrs_size = plain->desc->attrs_size,
      .fields = plain->desc->fields,
      .attrs_type = plain->desc->attrs_type};
  tenon_schema schema;
  tenon_op op = {.name = name, .owner = kernel->owner, .plain = plain};
  if (!ordered_make_schema(arena, plain, name, &schema, &desc.schema))
    return NULL;
  op.desc =
      tenon_arena_copy(arena, &desc, sizeof desc, _Alignof(tenon_op_desc));
  op.schema =
      tenon_arena_copy(arena, &schema, sizeof schema, _Alignof(tenon_schema));
  if (!op.desc || !op.schema) return NULL;
  return tenon_arena_copy(arena, &op, sizeof op, _Alignof(tenon_op));
}

// --- what is beside ----------------------------------------------------------

static const char *const *make_list(tenon_arena *arena, tenon_text list,
                                    uint16_t n) {
  const char **entries = tenon_arena_array(arena, const char *, n + 1u);
  tenon_text entry;
  for (uint16_t i = 0; entries && i < n && next_entry(&list, &entry); ++i)
    if (is_other(entry))
      entries[i] = tenon_arena_text(arena, entry.data, entry.size);
  return entries;
}

static struct tenon_ordered *make_beside(tenon_arena *arena,
                                         const tenon_kernel *kernel,
                                         const tenon_op *plain,
                                         const char *name) {
  tenon_text ins, outs;
  struct tenon_ordered o = {.n_in = kernel->n_in, .n_out = kernel->n_out};
  ordered_split(kernel->desc->order, &ins, &outs);
  o.op = make_op(arena, kernel, plain, name);
  o.in = make_list(arena, ins, o.n_in);
  o.out = make_list(arena, outs, o.n_out);
  struct tenon_ordered *copy =
      tenon_arena_copy(arena, &o, sizeof o, _Alignof(struct tenon_ordered));
  if (!copy || !o.op || !tenon_ordered_lowerings(arena, copy, kernel->owner))
    return NULL;
  return copy;
}

// A record makes it known by its name; one of an earlier freeze goes.
static bool add_record(tenon_context *cx, const tenon_op *op) {
  tenon_registry *r = cx->registry;
  tenon_record record = {
      .kind = TENON_REGISTRY_OPS, .name = op->name, .owner = op->owner};
  tenon_record *old =
      tenon_store_find(r, TENON_REGISTRY_OPS, op->name, strlen(op->name));
  if (old) (void)tenon_store_set_live(r, old, false);
  record.as.op = (tenon_op *)(uintptr_t)op;
  tenon_record *added = tenon_store_add(cx, &record);
  return added && tenon_store_set_live(r, added, true);
}

static const struct tenon_ordered *ordered_find(const tenon_op *op,
                                                const char *name) {
  const struct tenon_ordered *o = op->ordered;
  while (o && strcmp(o->op->name, name) != 0)
    o = o->next;
  return o;
}

tenon_status tenon_ordered_make(tenon_context *cx, tenon_kernel *kernel,
                                tenon_op *op) {
  tenon_buf name;
  tenon_buf_init(&name, cx->allocator);
  ordered_put_name(&name, op, kernel->desc->order);
  const char *copy =
      name.failed ? NULL : tenon_intern_text(&cx->names, name.data, name.size);
  tenon_buf_deinit(&name);
  const struct tenon_ordered *o = copy ? ordered_find(op, copy) : NULL;
  if (!o && copy) {
    struct tenon_ordered *made = make_beside(&cx->arena, kernel, op, copy);
    if (made && add_record(cx, made->op)) {
      made->next = op->ordered;
      op->ordered = o = made;
    }
  }
  kernel->beside = o ? o->op : NULL;
  return o ? TENON_OK : tenon_fail_memory(&cx->report, "freezing a context");
}

// --- asking ------------------------------------------------------------------

bool tenon_ordered_any(const tenon_context *cx) {
  const tenon_records *list = &cx->registry->live[TENON_REGISTRY_KERNELS];
  for (size_t i = 0; i < list->count; ++i)
    if (list->data[i]->as.kernel->is_ordered) return true;
  return false;
}

const tenon_op *tenon_ordered_by_symbol(const tenon_op *op,
                                        const char *symbol) {
  for (const struct tenon_ordered *o = op->ordered; o; o = o->next)
    for (uint32_t i = 0; i < o->op->n_kernels; ++i)
      if (strcmp(o->op->kernels[i]->desc->symbol, symbol) == 0) return o->op;
  return NULL;
}
