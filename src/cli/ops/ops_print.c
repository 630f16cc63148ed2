// How: one operator as text and as JSON: the same rows, printed twice.
#include <string.h>

#include "cli/ops/ops.h"

static void print_owner(cli *c, const tenon_registered *r) {
  long line = ops_line(r);
  cli_printf(c, "%s %s", r->owner, r->version ? r->version : "");
  if (r->is_builtin) cli_printf(c, ", part of this build");
  if (r->origin) cli_printf(c, ", %s", r->origin);
  if (line) cli_printf(c, ":%ld", line);
}

static void text_arguments(cli *c, const char *title,
                           const tenon_argument_info *list, size_t n) {
  if (n) cli_printf(c, "\n  %s\n", title);
  for (size_t i = 0; i < n; ++i) {
    const tenon_argument_info *a = &list[i];
    cli_printf(c, "    %-18s %-14s", a->name[0] ? a->name : "-", a->type);
    if (a->standard) cli_printf(c, " default %s", a->standard);
    if (a->flags & TENON_ARGUMENT_KEYWORD_ONLY) cli_printf(c, " keyword-only");
    if (a->written >= 0) cli_printf(c, " written: result %d", (int)a->written);
    cli_printf(c, "\n");
  }
}

// What a kernel finds at `c->attrs`.
static void text_fields(cli *c, const tenon_op_desc *d) {
  if (!d->fields) return;
  cli_printf(c, "\n  attributes: %s, %zu bytes\n",
             d->attrs_type ? d->attrs_type : "a struct", d->attrs_size);
  for (const tenon_field *f = d->fields; f->name; ++f) {
    cli_printf(c, "    %-18s %-15s at %u", f->member, cli_kind_type(f->kind),
               (unsigned)f->offset);
    if (strcmp(f->name, f->member) != 0)
      cli_printf(c, ", argument %s", f->name);
    cli_printf(c, "\n");
  }
}

static void text_kernel(cli *c, const tenon_registered *r) {
  const tenon_kernel_desc *k = (const tenon_kernel_desc *)r->desc;
  char traits[160];
  ops_kernel_traits(k, traits, sizeof traits);
  cli_printf(c, "    %s\n      %s", r->name, k->types ? k->types : "any types");
  cli_printf(c, "; priority %d; needs %s", (int)k->priority,
             k->needs && k->needs[0] ? k->needs : "nothing");
  if (traits[0]) cli_printf(c, "; %s", traits);
  cli_printf(c, "; ");
  print_owner(c, r);
  cli_printf(c, "\n");
}

static void text_lowering(cli *c, const tenon_registered *r) {
  const tenon_lowering_desc *l = (const tenon_lowering_desc *)r->desc;
  cli_printf(c, "    %s\n      in pass %s; priority %d; builds %s%s; ", r->name,
             l->pass ? l->pass : "lower", (int)l->priority,
             l->to ? l->to : "what it does not list",
             l->flags & TENON_LOWERING_INEXACT ? "; changes numbers" : "");
  print_owner(c, r);
  cli_printf(c, "\n");
}

void ops_print_text(cli *c, const ops_view *v) {
  ops_stage stages[OPS_STAGES];
  char versions[300];
  const char *doc = v->desc->doc ? v->desc->doc : "";
  cli_printf(c, "%s\n", v->signature->text);
  while (*doc) {
    size_t n = ops_first_line(doc);
    cli_printf(c, "  %.*s\n", (int)n, doc);
    doc += n + (doc[n] == '\n');
  }
  cli_printf(c, "\n  of ");
  print_owner(c, &v->op);
  cli_printf(c, "\n");
  text_arguments(c, "arguments", v->signature->args, v->signature->n_args);
  text_arguments(c, "results", v->signature->results, v->signature->n_results);
  text_fields(c, v->desc);
  ops_stages(v, stages, versions, sizeof versions);
  cli_printf(c, "\n  stages\n");
  for (size_t i = 0; i < OPS_STAGES; ++i)
    cli_printf(c, "    %-6s %s\n", stages[i].stage, stages[i].what);
  cli_printf(c, "\n  kernels%s\n",
             v->n_kernels ? "" : ": none, it has to be lowered");
  for (size_t i = 0; i < v->n_kernels; ++i)
    text_kernel(c, &v->kernels[i]);
  cli_printf(c, "\n  lowerings%s\n", v->n_lowerings ? "" : ": none");
  for (size_t i = 0; i < v->n_lowerings; ++i)
    text_lowering(c, &v->lowerings[i]);
}

// --- JSON -------------------------------------------------------------------

static void json_owner(cli *c, const tenon_registered *r) {
  cli_put_json(
      c, "'plugin': $, 'version': $, 'file': $, 'line': $, 'builtin': $",
      r->owner, r->version, r->origin, ops_line(r), (bool)r->is_builtin);
}

static void json_arguments(cli *c, const char *key,
                           const tenon_argument_info *list, size_t n) {
  cli_printf(c, ",\n     \"%s\": [", key);
  for (size_t i = 0; i < n; ++i)
    cli_put_json(
        c,
        "$\n       {'name': $, 'type': $, 'default': $, 'tensor': $, "
        "'keyword_only': $, 'written': $}",
        tenon_as_plain(i ? "," : ""), list[i].name, list[i].type,
        list[i].standard, (bool)(list[i].flags & TENON_ARGUMENT_TENSOR),
        (bool)(list[i].flags & TENON_ARGUMENT_KEYWORD_ONLY), list[i].written);
  cli_printf(c, "]");
}

static void json_fields(cli *c, const tenon_op_desc *d) {
  cli_put_json(c, ",\n     'attributes': {'type': $, 'size': $, 'members': [",
               d->attrs_type, d->fields ? d->attrs_size : 0);
  for (const tenon_field *f = d->fields; f && f->name; ++f)
    cli_put_json(
        c, "$\n       {'member': $, 'type': $, 'offset': $, 'argument': $}",
        tenon_as_plain(f == d->fields ? "" : ","), f->member,
        cli_kind_type(f->kind), f->offset, f->name);
  cli_printf(c, "]}");
}

static void json_kernel(cli *c, const tenon_registered *r) {
  const tenon_kernel_desc *k = (const tenon_kernel_desc *)r->desc;
  char traits[160];
  ops_kernel_traits(k, traits, sizeof traits);
  cli_put_json(
      c, "{'symbol': $, 'types': $, 'needs': $, 'traits': $, 'priority': $, ",
      r->name, k->types, k->needs, traits, k->priority);
  json_owner(c, r);
  cli_printf(c, "}");
}

static void json_lowering(cli *c, const tenon_registered *r) {
  const tenon_lowering_desc *l = (const tenon_lowering_desc *)r->desc;
  cli_put_json(c, "{'name': $, 'pass': $, 'to': $, 'priority': $, 'exact': $, ",
               r->name, l->pass ? l->pass : "lower", l->to, l->priority,
               (bool)!(l->flags & TENON_LOWERING_INEXACT));
  json_owner(c, r);
  cli_printf(c, "}");
}

void ops_print_json(cli *c, const ops_view *v) {
  ops_stage stages[OPS_STAGES];
  char versions[300];
  cli_put_json(c, "    {'name': $,\n     'schema': $,\n     'doc': $,\n     ",
               v->op.name, v->signature->text, v->desc->doc);
  json_owner(c, &v->op);
  json_arguments(c, "arguments", v->signature->args, v->signature->n_args);
  json_arguments(c, "results", v->signature->results, v->signature->n_results);
  json_fields(c, v->desc);
  ops_stages(v, stages, versions, sizeof versions);
  cli_printf(c, ",\n     \"stages\": {");
  for (size_t i = 0; i < OPS_STAGES; ++i)
    cli_put_json(c, "$$: $", tenon_as_plain(i ? ", " : ""), stages[i].stage,
                 stages[i].what);
  cli_printf(c, "},\n     \"kernels\": [");
  for (size_t i = 0; i < v->n_kernels; ++i) {
    cli_printf(c, i ? ",\n       " : "\n       ");
    json_kernel(c, &v->kernels[i]);
  }
  cli_printf(c, "],\n     \"lowerings\": [");
  for (size_t i = 0; i < v->n_lowerings; ++i) {
    cli_printf(c, i ? ",\n       " : "\n       ");
    json_lowering(c, &v->lowerings[i]);
  }
  cli_printf(c, "]}");
}
