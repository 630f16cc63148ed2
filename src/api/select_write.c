// How: the plugins of what is chosen, in the order of registration. One whose
// descriptors can be linked one by one (the set `core`, what `tenon bind`
// writes, and C that says so, docs/select.md) is put together anew from those
// that are chosen: an operator is tenon_op_<name>, a kernel is <symbol>_desc,
// and the list of the kernels within an operator's descriptor,
// tenon_op_<name>_kernels, is weak and so defined anew here. Another plugin is
// linked whole.
#include <string.h>

#include "api/selecting.h"
#include "base/put.h"
#include "reg/store.h"

static bool is_yaml(const char *path) {
  return tenon_text_ends(path, ".yaml") || tenon_text_ends(path, ".yml");
}

// C whose descriptors are no longer `static` where it is linked into a program.
static bool says_parts(const tenon_owner *o) {
  return o->source && strstr(o->source, "TENON_PART tenon_");
}

static bool brings_target(const tenon_selection *s, const tenon_owner *o) {
  for (size_t i = 0; i < s->targets.count; ++i)
    if (s->targets.data[i]->owner == o) return true;
  return false;
}

// Kernels and operators do; with a target it comes whole.
static bool comes_in_parts(const tenon_selection *s, const tenon_owner *o) {
  bool may = (o->is_builtin && strcmp(o->name, "core") == 0) ||
             (o->origin && is_yaml(o->origin)) || says_parts(o);
  return may && !brings_target(s, o);
}

// The operator begins here in the list.
static bool is_first(const tenon_selection *s, size_t i) {
  return i == 0 || s->list.data[i - 1].op != s->list.data[i].op;
}

// Whether the kernel stands in the list of its operator's descriptor.
static bool selected_is_within(const tenon_chosen *c) {
  return c->kernel->is_reference && c->kernel->owner == c->op->owner;
}

static void put_ident(tenon_buf *out, const tenon_put_value *v) {
  tenon_name_ident((const char *)v->as.p, out);
}
TENON_PUT_AS(ident, const char *, p, put_ident)

// --- plugins -----------------------------------------------------------------

static const tenon_owner *owner_at(const tenon_selection *s, size_t i) {
  size_t n = s->list.count;
  if (i < n) return s->list.data[i].op->owner;
  if (i < 2 * n) return s->list.data[i - n].kernel->owner;
  return s->targets.data[i - 2 * n]->owner;
}

// The owner that follows in the order of registration; null: that was the last.
static const tenon_owner *next_owner(const tenon_selection *s,
                                     const tenon_owner *after) {
  const tenon_owner *best = NULL;
  for (size_t i = 0; i < 2 * s->list.count + s->targets.count; ++i) {
    const tenon_owner *o = owner_at(s, i);
    if (after && o->index <= after->index) continue;
    if (!best || o->index < best->index) best = o;
  }
  return best;
}

static void selected_put_list(const tenon_selection *s, size_t first,
                              tenon_buf *out) {
  const tenon_op *op = s->list.data[first].op;
  tenon_put(out,
            "extern const tenon_kernel_desc *const tenon_op_$_kernels[];\n"
            "const tenon_kernel_desc *const tenon_op_$_kernels[] = {",
            tenon_as_ident(op->name), tenon_as_ident(op->name));
  for (size_t i = first; i < s->list.count && s->list.data[i].op == op; ++i)
    if (selected_is_within(&s->list.data[i]))
      tenon_put(out, "\n    &$_desc,", s->list.data[i].kernel->desc->symbol);
  tenon_buf_text(out, "\n    NULL};\n");
}

static void put_parts(const tenon_selection *s, const tenon_owner *o,
                      tenon_buf *out) {
  tenon_buf_format(out, "\n// --- %s\n\n", o->name);
  for (size_t i = 0; i < s->list.count; ++i)
    if (s->list.data[i].kernel->owner == o)
      tenon_put(out, "extern const tenon_kernel_desc $_desc;\n",
                s->list.data[i].kernel->desc->symbol);
  for (size_t i = 0; i < s->list.count; ++i) {
    if (!is_first(s, i) || s->list.data[i].op->owner != o) continue;
    tenon_put(out, "\nextern const tenon_op_desc tenon_op_$;\n",
              tenon_as_ident(s->list.data[i].op->name));
    selected_put_list(s, i, out);
  }
  tenon_put(out, "\nstatic const tenon_op_desc *const $_ops[] = {", o->name);
  for (size_t i = 0; i < s->list.count; ++i) {
    if (!is_first(s, i) || s->list.data[i].op->owner != o) continue;
    tenon_put(out, "\n    &tenon_op_$,",
              tenon_as_ident(s->list.data[i].op->name));
  }
  tenon_put(out,
            "\n    NULL};\nstatic const tenon_kernel_desc *const "
            "$_kernels[] = {",
            o->name);
  for (size_t i = 0; i < s->list.count; ++i)
    if (s->list.data[i].kernel->owner == o &&
        !selected_is_within(&s->list.data[i]))
      tenon_put(out, "\n    &$_desc,", s->list.data[i].kernel->desc->symbol);
  tenon_put(out,
            "\n    NULL};\nstatic const tenon_plugin $_plugin = {\n"
            "    TENON_PLUGIN_HEADER, .name = \"$\", .version = \"$\","
            "\n    .ops = $_ops, .kernels = $_kernels};\n",
            o->name, o->name, o->version, o->name, o->name);
}

static void put_whole(const tenon_owner *o, tenon_buf *out) {
  if (o->is_builtin)
    tenon_put(out, "\nextern const tenon_plugin tenon_$_plugin;\n", o->name);
  else
    tenon_put(
        out,
        "\nTENON_EXTERN_C const tenon_plugin *tenon_plugin_entry_$(void);\n",
        o->name);
}

static void selected_put_case(const tenon_selection *s, const tenon_owner *o,
                              tenon_buf *out) {
  if (comes_in_parts(s, o))
    tenon_buf_format(out, "&%s_plugin", o->name);
  else if (o->is_builtin)
    tenon_buf_format(out, "&tenon_%s_plugin", o->name);
  else
    tenon_buf_format(out, "tenon_plugin_entry_%s()", o->name);
}

void tenon_select_source(const tenon_selection *s, tenon_buf *out) {
  unsigned i = 0;
  tenon_buf_text(out,
                 "// Made by `tenon select`: the operators and kernels of a "
                 "runtime, and no others.\n"
                 "#include \"" TENON_SELECTED
                 ".h\"\n\n"
                 "#include \"tenon/ext/plugin.h\"\n");
  for (const tenon_owner *o = NULL; (o = next_owner(s, o)) != NULL;) {
    if (comes_in_parts(s, o))
      put_parts(s, o, out);
    else
      put_whole(o, out);
  }
  tenon_buf_text(out, "\nconst tenon_plugin *" TENON_SELECTED
                      "(size_t i) {\n  switch (i) {\n");
  for (const tenon_owner *o = NULL; (o = next_owner(s, o)) != NULL; ++i) {
    tenon_buf_format(out, "    case %u:\n      return ", i);
    selected_put_case(s, o, out);
    tenon_buf_text(out, ";\n");
  }
  tenon_buf_text(out, "    default:\n      return NULL;\n  }\n}\n");
}

void tenon_select_header(const tenon_selection *s, tenon_buf *out) {
  (void)s;
  tenon_buf_text(
      out,
      "// Made by `tenon select`. What a context of this program knows:\n"
      "//   tenon_context_create_with(&options, " TENON_SELECTED
      ", &context)\n"
      "#ifndef TENON_SELECTED_H\n#define TENON_SELECTED_H\n\n"
      "#include <stddef.h>\n\n"
      "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n"
      "const struct tenon_plugin *" TENON_SELECTED
      "(size_t i);\n\n"
      "#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
}

// --- lists -------------------------------------------------------------------

void tenon_select_manifest(const tenon_selection *s, tenon_buf *out) {
  tenon_buf_text(out,
                 "# Made by `tenon select`, which reads it again with "
                 "--manifest. An operator\n# without a list has all its "
                 "kernels.\noperators:\n");
  for (size_t i = 0; i < s->list.count; ++i) {
    if (is_first(s, i))
      tenon_buf_format(out, "  %s:\n", s->list.data[i].op->name);
    tenon_buf_format(out, "    - %s\n", s->list.data[i].kernel->desc->symbol);
  }
  if (s->targets.count) tenon_buf_text(out, "targets:\n");
  for (size_t i = 0; i < s->targets.count; ++i)
    tenon_buf_format(out, "  - %s\n", s->targets.data[i]->name);
}

static unsigned count_ops(const tenon_selection *s) {
  unsigned n = 0;
  for (size_t i = 0; i < s->list.count; ++i)
    n += is_first(s, i);
  return n;
}

static bool selected_is_chosen(const tenon_selection *s,
                               const tenon_kernel *k) {
  for (size_t i = 0; i < s->list.count; ++i)
    if (s->list.data[i].kernel == k) return true;
  return false;
}

// Kernels that the linker takes with those that were chosen, since a plugin of
// this owner has one list of them.
static unsigned count_idle(const tenon_selection *s, const tenon_owner *o) {
  const tenon_records *all = &s->cx->registry->live[TENON_REGISTRY_KERNELS];
  unsigned n = 0;
  for (size_t i = 0; i < all->count; ++i)
    n += all->data[i]->owner == o &&
         !selected_is_chosen(s, all->data[i]->as.kernel);
  return n;
}

static bool selected_is_whole(const tenon_selection *s, const tenon_owner *o) {
  return !o->is_builtin && !comes_in_parts(s, o);
}

void tenon_select_text(const tenon_selection *s, tenon_buf *out) {
  for (size_t i = 0; i < s->list.count; ++i)
    tenon_buf_format(out, "%-24s %s of %s\n",
                     is_first(s, i) ? s->list.data[i].op->name : "",
                     s->list.data[i].kernel->desc->symbol,
                     s->list.data[i].kernel->owner->name);
  tenon_put(out, "operators: $, kernels: $\n", count_ops(s), s->list.count);
  for (const tenon_owner *o = NULL; (o = next_owner(s, o)) != NULL;)
    if (selected_is_whole(s, o) && count_idle(s, o) > 0)
      tenon_put(out, "linked whole: plugin $, with $ kernels beside\n", o->name,
                count_idle(s, o));
}

void tenon_select_json(const tenon_selection *s, tenon_buf *out) {
  tenon_buf_text(out, "{\"operators\": [");
  for (size_t i = 0; i < s->list.count; ++i) {
    const tenon_chosen *c = &s->list.data[i];
    if (is_first(s, i)) {
      tenon_put_json(out, "${'name': $, 'kernels': [",
                     tenon_as_plain(i ? "]}, " : ""), c->op->name);
    } else {
      tenon_buf_text(out, ", ");
    }
    tenon_put_json(out, "{'symbol': $, 'owner': $}", c->kernel->desc->symbol,
                   c->kernel->owner->name);
  }
  tenon_buf_text(out,
                 s->list.count ? "]}], \"targets\": [" : "], \"targets\": [");
  for (size_t i = 0; i < s->targets.count; ++i) {
    tenon_put(out, "$$", i ? ", " : "",
              tenon_as_json(s->targets.data[i]->name));
  }
  tenon_buf_text(out, "], \"whole\": [");
  const char *separator = "";
  for (const tenon_owner *o = NULL; (o = next_owner(s, o)) != NULL;) {
    if (!selected_is_whole(s, o)) continue;
    tenon_put_json(out, "${'plugin': $, 'kernels_beside': $}",
                   tenon_as_plain(separator), o->name, count_idle(s, o));
    separator = ", ";
  }
  tenon_buf_text(out, "]}\n");
}
