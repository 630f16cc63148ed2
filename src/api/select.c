// How: everything that is asked for becomes pairs of operator and kernel, with
// every failure reported; sorted, each stands once. Programs are asked for
// names, so that they may come from other contexts.
#include "api/selecting.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/dtype.h"

bool tenon_select_keep(tenon_selection *s, tenon_status status) {
  if (s->status == TENON_OK) s->status = status;
  return status == TENON_OK;
}

static void no_memory(tenon_selection *s) {
  (void)tenon_select_keep(
      s, tenon_fail_memory(&s->cx->report, "selecting kernels"));
}

void tenon_select_fail(tenon_selection *s, const tenon_yaml *at, const char *id,
                       const char *note, const char *fmt, ...) {
  char message[TENON_MESSAGE_SIZE];
  tenon_diag n = {.struct_size = sizeof n,
                  .severity = TENON_NOTE,
                  .id = id,
                  .message = note};
  va_list args;
  va_start(args, fmt);
  (void)vsnprintf(message, sizeof message, fmt, args);
  va_end(args);
  tenon_status status = TENON_OK;
  if (at && note)
    status = tenon_yaml_fail_note(at, id, note, "%s", message);
  else if (at)
    status = tenon_yaml_fail(at, id, "%s", message);
  else
    status = tenon_fail_notes(&s->cx->report, TENON_BAD_PLUGIN, id, NULL,
                              note ? &n : NULL, "%s", message);
  (void)tenon_select_keep(s, status);
}

// --- names -------------------------------------------------------------------

// Of an out variant the functional operator, which is the one that has kernels;
// false: it is none.
static bool cut_out(const char *name, char base[256]) {
  size_t n = strlen(name);
  if (!tenon_text_ends(name, ".out") || n - 4 >= 256) return false;
  memcpy(base, name, n - 4);
  base[n - 4] = 0;
  return true;
}

const tenon_op *tenon_select_op(tenon_selection *s, const char *name,
                                const tenon_yaml *at) {
  char base[256];
  const tenon_op *op = tenon_registry_find_op(s->cx, name);
  bool is_out = !op && cut_out(name, base);
  if (is_out) op = tenon_registry_find_op(s->cx, base);
  if (op) return op;
  const char *near = tenon_registry_nearest_op(s->cx, name);
  if (!near && is_out) near = tenon_registry_nearest_op(s->cx, base);
  tenon_select_fail(
      s, at, "select-op", "a plugin that brings it is named with --plugin",
      "no operator '%s'%s%s%s", name, near ? "; did you mean '" : "",
      near ? near : "", near ? "'?" : "");
  return NULL;
}

void tenon_select_target(tenon_selection *s, const char *name,
                         const tenon_yaml *at) {
  tenon_target found;
  const tenon_extension *e =
      tenon_registry_find(s->cx, TENON_REGISTRY_TARGETS, name);
  if (e && !tenon_vec_push(&s->targets, e)) no_memory(s);
  if (e || strcmp(name, "host") == 0 || strcmp(name, "c") == 0) return;
  if (at)
    tenon_select_fail(s, at, "select-target", NULL, "no target '%s'", name);
  else
    (void)tenon_select_keep(s, tenon_target_find(s->cx, name, &found));
}

static void read_dtype(tenon_selection *s, const char *name) {
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
                    name, near.best ? "; did you mean '" : "",
                    near.best ? near.best : "", near.best ? "'?" : "");
}

// --- kernels -----------------------------------------------------------------

void tenon_select_add(tenon_selection *s, const tenon_op *op,
                      const tenon_kernel *kernel) {
  if (!tenon_vec_push(&s->list, (tenon_chosen){op, kernel})) no_memory(s);
}

static bool takes(const tenon_selection *s, const tenon_kernel_type *types,
                  uint8_t n) {
  for (uint8_t i = 0; i < n; ++i) {
    const tenon_kernel_type *t = &types[i];
    uint64_t all = t->dtypes[0] | t->dtypes[1] | t->dtypes[2] | t->dtypes[3];
    if (t->is_optional || t->variable || t->bytes) continue;
    if (all && !(all & s->dtypes)) return false;
  }
  return true;
}

static bool fits(const tenon_selection *s, const tenon_kernel *k) {
  if (!k->desc->run && !k->desc->run_range) return false;
  if (!tenon_target_has(&s->target, k->desc->needs)) return false;
  return !s->dtypes || (takes(s, k->in, k->n_in) && takes(s, k->out, k->n_out));
}

static const char *types_of(const tenon_kernel_desc *k) {
  return k->types ? k->types : "any";
}

// Of several kernels for the same types one is told of.
static bool is_told(const tenon_selection *s, const tenon_op *op, uint32_t at) {
  const tenon_kernel_desc *k = op->kernels[at]->desc;
  for (uint32_t i = 0; i < at; ++i) {
    const tenon_kernel_desc *other = op->kernels[i]->desc;
    if (tenon_target_has(&s->target, other->needs) &&
        strcmp(types_of(other), types_of(k)) == 0)
      return true;
  }
  return !tenon_target_has(&s->target, k->needs);
}

static void fail_types(tenon_selection *s, const tenon_op *op,
                       const tenon_yaml *at) {
  tenon_buf note;
  tenon_buf_init(&note, s->cx->allocator);
  tenon_buf_text(&note, "there are kernels for");
  bool is_first = true;
  for (uint32_t i = 0; i < op->n_kernels; ++i) {
    const tenon_kernel_desc *k = op->kernels[i]->desc;
    if (is_told(s, op, i)) continue;
    tenon_buf_format(&note, "%s '%s'", is_first ? "" : ",", types_of(k));
    is_first = false;
  }
  if (is_first) tenon_buf_text(&note, " other targets");
  if (note.failed)
    no_memory(s);
  else
    tenon_select_fail(s, at, "select-kernel", note.data,
                      "'%s' has no kernel that target '%s' can run%s", op->name,
                      s->target.name,
                      s->dtypes ? " and whose types were asked for" : "");
  tenon_buf_deinit(&note);
}

void tenon_select_all(tenon_selection *s, const tenon_op *op,
                      const tenon_yaml *at) {
  bool any = false;
  for (uint32_t i = 0; i < op->n_kernels; ++i) {
    if (!fits(s, op->kernels[i])) continue;
    tenon_select_add(s, op, op->kernels[i]);
    any = true;
  }
  if (any) return;
  if (op->n_kernels > 0)
    fail_types(s, op, at);
  else
    tenon_select_fail(
        s, at, "select-kernel",
        op->n_lowerings > 0
            ? "other operators replace it when a model is compiled: select by "
              "the model"
            : "a plugin that has one is named with --plugin",
        "'%s' has no kernel", op->name);
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
      tenon_select_add(s, op, k);
    else if (op)
      tenon_select_fail(s, NULL, "select-kernel", NULL,
                        "the kernel '%s' that '%s' calls for '%s' is not here",
                        symbol, p->name, op->name);
  }
}

// --- the whole ---------------------------------------------------------------

static uint32_t place_of(const tenon_chosen *c) {
  uint32_t i = 0;
  while (i < c->op->n_kernels && c->op->kernels[i] != c->kernel)
    ++i;
  return i;
}

// Operators by name; kernels in the order in which they are tried.
static int compare(const void *left, const void *right) {
  const tenon_chosen *a = left, *b = right;
  int order = strcmp(a->op->name, b->op->name);
  if (order != 0) return order;
  uint32_t i = place_of(a), j = place_of(b);
  return (i > j) - (i < j);
}

static int compare_targets(const void *left, const void *right) {
  const tenon_extension *const *a = left, *const *b = right;
  return strcmp((*a)->name, (*b)->name);
}

static void sort(tenon_selection *s) {
  size_t n = 0;
  if (s->list.count)
    qsort(s->list.data, s->list.count, sizeof *s->list.data, compare);
  for (size_t i = 0; i < s->list.count; ++i)
    if (n == 0 || compare(&s->list.data[n - 1], &s->list.data[i]) != 0)
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

static void fill(tenon_selection *s, const tenon_select_options *o) {
  for (size_t i = 0; o->dtypes && o->dtypes[i]; ++i)
    read_dtype(s, o->dtypes[i]);
  for (size_t i = 0; o->ops && o->ops[i]; ++i) {
    const tenon_op *op = tenon_select_op(s, o->ops[i], NULL);
    if (op) tenon_select_all(s, op, NULL);
  }
  for (size_t i = 0; i < o->n_programs; ++i)
    add_program(s, o->programs[i]);
  for (size_t i = 0; i < o->n_manifests; ++i)
    tenon_select_read(s, &o->manifests[i]);
  sort(s);
  if (s->status == TENON_OK && s->list.count == 0)
    tenon_select_fail(s, NULL, "select-empty",
                      "name operators, programs or a manifest",
                      "no kernel is selected");
}

static tenon_status start(tenon_selection *s, tenon_context *cx,
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
  fill(s, &o);
  return s->status;
}

static void end(tenon_selection *s) {
  tenon_vec_deinit(&s->targets);
  tenon_vec_deinit(&s->list);
  tenon_arena_deinit(&s->arena);
}

typedef void text_fn(const tenon_selection *s, tenon_buf *out);

static tenon_status put(const tenon_selection *s, const char *file, text_fn *f,
                        tenon_write_fn *write, void *self) {
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
  tenon_status status = start(&s, cx, options);
  for (size_t i = 0; status == TENON_OK && i < 3; ++i)
    status = put(&s, files[i].file, files[i].text, write, self);
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
  tenon_status status = start(&s, cx, options);
  if (status == TENON_OK)
    status =
        put(&s, NULL,
            format == TENON_FORMAT_JSON ? tenon_select_json : tenon_select_text,
            write, self);
  end(&s);
  return status;
}
