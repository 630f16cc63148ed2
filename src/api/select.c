// How: everything that is asked for becomes pairs of operator and kernel, with
// every failure reported; sorted, each stands once. Programs are asked for
// names, so that they may come from other contexts.
#include "api/selecting.h"

#include <stdlib.h>
#include <string.h>

#include "core/dtype.h"

static void select_read_dtype(tenon_selection *s, const char *name) {
  tenon_nearest near;
  tenon_dtype found = tenon_dtype_find(tenon_text_of(name));
  if (found) {
    s->dtypes |= UINT64_C(1) << found;
    return;
  }
  tenon_nearest_init(&near, name);
  for (tenon_dtype t = 1; t < 64; ++t)
    if (tenon_dtype_look(t)) tenon_nearest_feed(&near, tenon_dtype_name(t));
  tenon_select_fail(s, NULL, "select-dtype", NULL, "no element type '%s'%s%s%s",
                    name, TENON_DID_YOU_MEAN(near.best));
}

// --- programs ----------------------------------------------------------------

static void add_program(tenon_selection *s, const tenon_program *p) {
  tenon_select_target(s, p->target, NULL);
  for (uint32_t i = 0; i < p->n_steps; ++i) {
    const tenon_step *step = &p->steps[i];
    if (step->kind != TENON_STEP_KERNEL) continue;
    const char *symbol = p->kernels[step->kernel].symbol;
    const tenon_op *op = tenon_select_op(s, step->op, NULL);
    const tenon_kernel *k = NULL;
    for (uint32_t j = 0; op && !k && j < op->n_kernels; ++j)
      if (strcmp(op->kernels[j]->desc->symbol, symbol) == 0) k = op->kernels[j];
    if (k)
      tenon_select_add(s, op->plain ? op->plain : op, k);
    else if (op)
      tenon_select_fail(s, NULL, "select-kernel", NULL,
                        "the kernel '%s' that '%s' calls for '%s' is not here",
                        symbol, p->name, op->name);
  }
}

// --- the whole ---------------------------------------------------------------

static uint32_t select_place_of(const tenon_chosen *c) {
  uint32_t i = 0;
  while (i < c->op->n_kernels && c->op->kernels[i] != c->kernel)
    ++i;
  return i;  // the number of kernels: one for tensors in another order
}

// Operators by name; kernels in the order in which they are tried.
static int select_compare(const void *left, const void *right) {
  const tenon_chosen *a = left, *b = right;
  int order = strcmp(a->op->name, b->op->name);
  if (order != 0) return order;
  uint32_t i = select_place_of(a), j = select_place_of(b);
  return i != j ? (i > j) - (i < j)
                : strcmp(a->kernel->desc->symbol, b->kernel->desc->symbol);
}

static int compare_targets(const void *left, const void *right) {
  const tenon_extension *const *a = left, *const *b = right;
  return strcmp((*a)->name, (*b)->name);
}

static void select_sort(tenon_selection *s) {
  size_t n = 0;
  if (s->list.count)
    qsort(s->list.data, s->list.count, sizeof *s->list.data, select_compare);
  for (size_t i = 0; i < s->list.count; ++i)
    if (n == 0 || select_compare(&s->list.data[n - 1], &s->list.data[i]) != 0)
      s->list.data[n++] = s->list.data[i];
  s->list.count = n;
  if (s->targets.count)
    qsort(s->targets.data, s->targets.count, sizeof *s->targets.data,
          compare_targets);
  n = 0;
  for (size_t i = 0; i < s->targets.count; ++i)
    if (n == 0 || s->targets.data[n - 1] != s->targets.data[i])
      s->targets.data[n++] = s->targets.data[i];
  s->targets.count = n;
}

static void select_fill(tenon_selection *s, const tenon_select_options *o) {
  for (size_t i = 0; o->dtypes && o->dtypes[i]; ++i)
    select_read_dtype(s, o->dtypes[i]);
  for (size_t i = 0; o->ops && o->ops[i]; ++i) {
    const tenon_op *op = tenon_select_op(s, o->ops[i], NULL);
    if (op) tenon_select_all(s, op, NULL);
  }
  for (size_t i = 0; i < o->n_programs; ++i)
    add_program(s, o->programs[i]);
  for (size_t i = 0; i < o->n_manifests; ++i)
    tenon_select_read(s, &o->manifests[i]);
  select_sort(s);
  if (s->status == TENON_OK && s->list.count == 0)
    tenon_select_fail(s, NULL, "select-empty",
                      o->n_programs ? "the models that are named need none: "
                                      "name others, or operators"
                                    : "name operators, programs or a manifest",
                      "no kernel is selected");
}

static tenon_status select_start(tenon_selection *s, tenon_context *cx,
                                 const tenon_select_options *given) {
  tenon_select_options o = {.struct_size = sizeof o};
  memset(s, 0, sizeof *s);
  s->cx = cx;
  tenon_arena_init(&s->arena, cx->allocator);
  tenon_vec_init(&s->list, cx->allocator);
  tenon_vec_init(&s->targets, cx->allocator);
  if (!tenon_admit(&o, sizeof o, given) || o.flags != 0)
    return tenon_fail(&cx->report, TENON_BAD_ARGUMENT, "options-size", NULL,
                      "options of %u bytes with flags 0x%x use what this "
                      "library lacks",
                      (unsigned)given->struct_size, (unsigned)o.flags);
  TENON_TRY(tenon_context_freeze(cx));
  TENON_TRY(tenon_target_find(cx, o.target, &s->target));
  select_fill(s, &o);
  return s->status;
}

static void end(tenon_selection *s) {
  tenon_vec_deinit(&s->targets);
  tenon_vec_deinit(&s->list);
  tenon_arena_deinit(&s->arena);
}

typedef void text_fn(const tenon_selection *s, tenon_buf *out);

static tenon_status select_put(const tenon_selection *s, const char *file,
                               text_fn *f, tenon_write_fn *write, void *self) {
  tenon_buf out;
  tenon_buf_init(&out, s->cx->allocator);
  f(s, &out);
  tenon_status status =
      out.failed ? tenon_fail_memory(&s->cx->report, "writing a selection")
                 : write(self, file, out.data, out.size);
  tenon_buf_deinit(&out);
  return status;
}

tenon_status tenon_selection_write(tenon_context *cx,
                                   const tenon_select_options *options,
                                   tenon_write_fn *write, void *self) {
  tenon_selection s;
  const struct {
    const char *file;
    text_fn *text;
  } files[] = {{TENON_SELECTED ".c", tenon_select_source},
               {TENON_SELECTED ".h", tenon_select_header},
               {TENON_SELECTED ".yaml", tenon_select_manifest}};
  tenon_status status = select_start(&s, cx, options);
  for (size_t i = 0; status == TENON_OK && i < 3; ++i)
    status = select_put(&s, files[i].file, files[i].text, write, self);
  end(&s);
  return status;
}

tenon_status tenon_selection_print(tenon_context *cx,
                                   const tenon_select_options *options,
                                   uint32_t format, tenon_write_fn *write,
                                   void *self) {
  tenon_selection s;
  if (format != TENON_FORMAT_TEXT && format != TENON_FORMAT_JSON)
    return tenon_fail(&cx->report, TENON_BAD_ARGUMENT, "print-format", NULL,
                      "a selection is printed as text or JSON");
  tenon_status status = select_start(&s, cx, options);
  if (status == TENON_OK)
    status = select_put(
        &s, NULL,
        format == TENON_FORMAT_JSON ? tenon_select_json : tenon_select_text,
        write, self);
  end(&s);
  return status;
}
