// How: what belongs to an operator is found by walking the lists of kernels and
// lowerings and matching the names they serve; there are a few hundred.
#include <stdlib.h>
#include <string.h>

#include "cli/ops/ops.h"

bool ops_list_take(const tenon_context *cx, uint32_t kind, ops_list *out) {
  out->count = tenon_context_list(cx, kind, NULL, 0);
  out->data = (tenon_registered *)calloc(out->count + 1, sizeof *out->data);
  if (!out->data) return false;
  out->count = tenon_context_list(cx, kind, out->data, out->count);
  return true;
}

void ops_list_drop_declared(ops_list *list) {
  size_t n = 0;
  for (size_t i = 0; i < list->count; ++i) {
    const tenon_registered *r = &list->data[i];
    const tenon_op_desc *op =
        r->kind == TENON_REGISTRY_OPS ? (const tenon_op_desc *)r->desc : NULL;
    bool is_bare = op && (op->flags & TENON_OP_DECLARED) && !op->doc;
    if (!is_bare || !r->is_builtin) list->data[n++] = *r;
  }
  list->count = n;
}

bool ops_serves(const char *pattern, const char *name) {
  size_t n = strlen(pattern);
  if (strcmp(pattern, name) == 0) return true;
  if (n == 0 || pattern[n - 1] != '*') return false;
  if (strncmp(pattern, name, n - 1) == 0) return true;
  // "ns::name.*" is also the overload without a name.
  return n > 2 && pattern[n - 2] == '.' && strlen(name) == n - 2 &&
         strncmp(pattern, name, n - 2) == 0;
}

// Lowerings of what is element-wise are for operators whose description says
// that they are.
static bool ops_is_for(const tenon_registered *r, const tenon_op_desc *op) {
  const uint32_t each = r->kind == TENON_REGISTRY_LOWERINGS
                            ? ((const tenon_lowering_desc *)r->desc)->flags &
                                  TENON_LOWERING_ELEMENTWISE
                            : 0;
  return !each || ((op->flags & TENON_OP_ELEMENTWISE) &&
                   !(op->flags & TENON_OP_DECLARED));
}

// The records of `kind` that serve the operator.
static bool take_serving(const tenon_context *cx, uint32_t kind,
                         const ops_view *v, tenon_registered **out, size_t *n) {
  ops_list all;
  *n = 0;
  if (!ops_list_take(cx, kind, &all)) return false;
  for (size_t i = 0; i < all.count; ++i)
    if (all.data[i].op && ops_serves(all.data[i].op, v->op.name) &&
        ops_is_for(&all.data[i], v->desc))
      all.data[(*n)++] = all.data[i];
  // Most operators have one or two of some thousands, and `check` keeps the
  // views of all operators.
  tenon_registered *fitting =
      (tenon_registered *)realloc(all.data, (*n + 1) * sizeof *all.data);
  *out = fitting ? fitting : all.data;
  return true;
}

int ops_view_open(tenon_context *cx, const tenon_registered *op,
                  ops_view *out) {
  memset(out, 0, sizeof *out);
  out->op = *op;
  out->desc = (const tenon_op_desc *)op->desc;
  tenon_status status =
      tenon_signature_read(cx, out->desc->schema, &out->signature);
  if (status != TENON_OK) return cli_exit(status);
  if (take_serving(cx, TENON_REGISTRY_KERNELS, out, &out->kernels,
                   &out->n_kernels) &&
      take_serving(cx, TENON_REGISTRY_LOWERINGS, out, &out->lowerings,
                   &out->n_lowerings))
    return 0;
  ops_view_close(out);
  return CLI_NO_MEMORY;
}

void ops_view_close(ops_view *v) {
  tenon_signature_destroy(v->signature);
  free(v->kernels);
  free(v->lowerings);
  memset(v, 0, sizeof *v);
}

size_t ops_first_line(const char *text) {
  return text ? strcspn(text, "\n") : 0;
}

// Strings may be broken over lines in the source, so only their beginning is
// looked for: up to the parenthesis of a schema.
long ops_line(const tenon_registered *r) {
  long line = 1;
  if (!r->origin || !cli_ends_with(r->origin, ".c")) return 0;
  FILE *f = fopen(r->origin, "rb");
  if (!f) return 0;
  char text[4096], wanted[512], by_macro[512];
  bool is_op = r->kind == TENON_REGISTRY_OPS;
  snprintf(wanted, sizeof wanted, "\"%s%s", r->name, is_op ? "(" : "\"");
  snprintf(by_macro, sizeof by_macro, "TENON_KERNEL_RUN(%s)", r->name);
  bool found = false;
  while (!found && fgets(text, sizeof text, f)) {
    found = strstr(text, wanted) || strstr(text, by_macro);
    if (!found && strchr(text, '\n')) ++line;
  }
  fclose(f);
  return found ? line : 0;
}

static const char *ops_view_read_words(const tenon_op_desc *d) {
  if (d->read_tflite) return "options of a .tflite: by its own function";
  return "options of a .tflite: one FlexBuffers map by the schema's names";
}

static const char *infer_words(const ops_view *v) {
  if (v->desc->infer) return "its own shape rule";
  if (v->desc->lower) return "from what its lowering builds";
  return "none: as the file declares";
}

static const char *fold_words(const tenon_op_desc *d) {
  if (d->fold) return "its own function";
  if (d->flags & TENON_OP_COSTLY)
    return "pure, element-wise and costly: the reference kernel is run, also "
           "for tables and for results larger than the operands";
  if (d->flags & TENON_OP_ELEMENTWISE)
    return "pure and element-wise: the reference kernel is run, also for "
           "tables";
  if (d->flags & TENON_OP_PURE) return "pure: the reference kernel is run";
  return "never: not pure";
}

void ops_stages(const ops_view *v, ops_stage out[OPS_STAGES], char *versions,
                size_t size) {
  const tenon_op_desc *d = v->desc;
  if (d->version_min || d->version_max)
    snprintf(versions, size, "'%s', versions %u to %u of a .tflite",
             d->tflite_name ? d->tflite_name : v->op.name, d->version_min,
             d->version_max);
  else
    snprintf(versions, size, "'%s', any version of a .tflite",
             d->tflite_name ? d->tflite_name : v->op.name);
  out[0] = (ops_stage){"name", versions};
  out[1] = (ops_stage){"read", ops_view_read_words(d)};
  out[2] = (ops_stage){"infer", infer_words(v)};
  out[3] = (ops_stage){"fold", fold_words(d)};
  out[4] = (ops_stage){"view", d->view ? "a window on operand 0, when it can be"
                                       : "memory of its own"};
  out[5] = (ops_stage){"macs", d->macs ? "counted" : "not counted"};
}

void ops_kernel_traits(const tenon_kernel_desc *k, char *out, size_t size) {
  const struct {
    bool has;
    const char *word;
  } traits[] = {{k->in_place != 0, "in place"},
                {k->run_range != NULL, "threads"},
                {k->order != NULL, "orders"},
                {k->match != NULL, "match"},
                {k->scratch != NULL, "scratch"},
                {k->pack != NULL, "packs"},
                {k->emit_template != NULL, "template"},
                {k->emit != NULL, "emits"},
                {k->source != NULL, "source"},
                {!k->run && !k->run_range, "emit only"}};
  size_t at = 0;
  out[0] = 0;
  for (size_t i = 0; i < sizeof traits / sizeof *traits; ++i)
    if (traits[i].has && at < size)
      at += (size_t)snprintf(out + at, size - at, "%s%s", at ? ", " : "",
                             traits[i].word);
}
