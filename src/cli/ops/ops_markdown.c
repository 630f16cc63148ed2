// How: docs/ops.md is this text for a context without plugins. Fast kernels are
// left out, since which there are depends on the machine of the build.
#include <stdlib.h>
#include <string.h>

#include "cli/ops/ops.h"

static void print_cell(cli *c, const char *text) {
  for (; text && *text; ++text) {
    if (*text == '|')
      cli_printf(c, "\\|");
    else
      cli_printf(c, "%c", *text == '\n' ? ' ' : *text);
  }
}

static void print_arguments(cli *c, const tenon_signature *s) {
  if (s->n_args == 0) return;
  cli_printf(c, "\n| argument | type | default | |\n|---|---|---|---|\n");
  for (size_t i = 0; i < s->n_args; ++i) {
    const tenon_argument_info *a = &s->args[i];
    cli_printf(c, "| `%s` | `", a->name);
    print_cell(c, a->type);
    cli_printf(c, "` | %s%s%s | %s%s |\n", a->standard ? "`" : "",
               a->standard ? a->standard : "", a->standard ? "`" : "",
               a->flags & TENON_ARGUMENT_KEYWORD_ONLY ? "keyword-only" : "",
               a->written >= 0 ? " written" : "");
  }
}

static bool markdown_is_plain(const tenon_registered *r) {
  const tenon_kernel_desc *k = (const tenon_kernel_desc *)r->desc;
  return r->is_builtin && k->priority == 0 && !(k->needs && k->needs[0]);
}

static void markdown_print_types(cli *c, const ops_view *v) {
  bool any = false;
  for (size_t i = 0; i < v->n_kernels; ++i) {
    const tenon_kernel_desc *k = (const tenon_kernel_desc *)v->kernels[i].desc;
    if (!markdown_is_plain(&v->kernels[i]) || !k->types) continue;
    cli_printf(c, "%s`", any ? ", " : "\nReference kernels: ");
    print_cell(c, k->types);
    cli_printf(c, "`");
    any = true;
  }
  if (any) cli_printf(c, ".\n");
}

static void print_op(cli *c, const ops_view *v) {
  const tenon_op_desc *d = v->desc;
  const char *doc = d->doc ? d->doc : "";
  const char *example = strstr(doc, "\nmodule {");  // left to `tenon ops NAME`
  const int told = (int)(example ? example - doc : (ptrdiff_t)strlen(doc));
  cli_printf(c, "\n### %s\n\n```\n%s\n```\n\n%.*s\n", v->op.name,
             v->signature->text, told, doc);
  print_arguments(c, v->signature);
  markdown_print_types(c, v);
  if (v->n_lowerings)
    cli_printf(c, "\nLowered by %zu rule%s.\n", v->n_lowerings,
               v->n_lowerings == 1 ? "" : "s");
  if (d->tflite_name) {
    cli_printf(c, "\nIn a .tflite: `%s`", d->tflite_name);
    if (d->version_max)
      cli_printf(c, ", versions %u to %u", d->version_min, d->version_max);
    cli_printf(c, ".\n");
  }
}

// What is nothing but other operators is told in a row: its schema says it all.
static bool is_row(const ops_view *v) {
  return v->desc->lower && !v->desc->infer && !v->desc->kernels;
}

static void markdown_print_row(cli *c, const ops_view *v, bool is_first) {
  cli_put(c, "$| `", is_first ? "\n| operator | |\n|---|---|\n" : "");
  print_cell(c, v->signature->text);
  cli_printf(c, "` | ");
  print_cell(c, v->desc->doc);
  cli_printf(c, " |\n");
}

int ops_print_markdown(cli *c, tenon_context *cx) {
  ops_list all;
  const char *set = "";
  size_t size = 0;
  int code = 0;
  bool in_table = false;
  if (!ops_list_take(cx, TENON_REGISTRY_OPS, &all)) return CLI_NO_MEMORY;
  ops_list_drop_declared(&all);
  cli_printf(c,
             "# Operators\n\n"
             "Written by `tenon ops --markdown`; a test compares. `tenon ops "
             "NAME` says more of one:\nthe kernels of this machine, and what "
             "each stage uses.\n");
  for (size_t i = 0; code == 0 && i < all.count; ++i) {
    ops_view v;
    const char *name = all.data[i].name;
    size_t n = strcspn(name, ":");
    if (n != size || memcmp(set, name, n) != 0) {
      cli_printf(c, "\n## %.*s\n", (int)n, name);
      in_table = false;
    }
    set = name;
    size = n;
    code = ops_view_open(cx, &all.data[i], &v);
    bool was_row = in_table;
    in_table = code == 0 && is_row(&v);
    if (code == 0 && in_table) markdown_print_row(c, &v, !was_row);
    if (code == 0 && !in_table) print_op(c, &v);
    if (code == 0) ops_view_close(&v);
  }
  free(all.data);
  return code;
}
