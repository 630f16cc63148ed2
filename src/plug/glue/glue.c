// How: the user's sources stand in the text as they are, so that the plugin is
// one file, and emitted C has them too. A wrapper per key takes a tenon_call
// apart. Behind what is emitted, the type of each function is compared with the
// one that its operator asks for; the compiler then says the mark and a number.
#include <string.h>

#include "core/dtype.h"
#include "plug/glue/glue.h"

// ---------------------------------------------------------------------------
// Descriptors
// ---------------------------------------------------------------------------

static void glue_put_any(tenon_buf *out) {
  bool is_first = true;
#define SCALAR(name, dtype, type)                    \
  tenon_buf_format(out, "%s%s", is_first ? "" : "|", \
                   tenon_dtype_name(TENON_##dtype)); \
  is_first = false;
#include "plug/glue/scalar_types.def"
#undef SCALAR
}

// The type of a tensor of the served operator: that of the slot it came from.
static void put_slot(tenon_buf *out, const tenon_bind_key *key, int slot) {
  if (slot >= 0 && key->dtypes[slot])
    tenon_buf_text(out, tenon_dtype_name(key->dtypes[slot]));
  else
    glue_put_any(out);
}

static void glue_put_types(tenon_buf *out, const tenon_bind_op *op,
                           const tenon_bind_key *key) {
  const tenon_schema *s = op->schema;
  for (uint16_t i = 0; i < s->n_tensors; ++i) {
    const tenon_argument *a = tenon_schema_tensor(s, i);
    if (i) tenon_buf_text(out, ", ");
    put_slot(out, key, tenon_glue_in_slot(op, i));
    tenon_buf_format(out, "%s%s",
                     a->is_optional || a->has_optional_elements ? "?" : "",
                     a->is_list ? "..." : "");
  }
  tenon_buf_text(out, s->n_tensors ? " -> " : "() -> ");
  for (uint16_t i = 0; i < op->n_results; ++i) {
    if (i) tenon_buf_text(out, ", ");
    put_slot(out, key, tenon_glue_out_slot(op, i));
    if (i < s->n_returns && s->returns[i].is_list) tenon_buf_text(out, "...");
  }
  if (op->n_results == 0) tenon_buf_text(out, "()");
}

static bool has_ranks(const tenon_bind_op *op, const tenon_bind_key *key) {
  for (uint16_t i = 0; i < op->n_slots; ++i)
    if (key->ranks[i] >= 0) return true;
  return false;
}

static bool has_orders(const tenon_bindings *b) {
  for (const tenon_bind_op *op = b->first; op; op = op->next)
    for (const tenon_bind_kernel *k = op->first; k; k = k->next)
      for (size_t i = 0; i < k->n_keys; ++i)
        if (k->keys[i].is_ordered) return true;
  return false;
}

static bool has_conditions(const tenon_bindings *b) {
  for (const tenon_bind_op *op = b->first; op; op = op->next)
    for (const tenon_bind_kernel *k = op->first; k; k = k->next)
      if (k->condition) return true;
  return false;
}

// Whether a key asks for ranks of all tensors of a list.
static bool has_list_ranks(const tenon_bindings *b) {
  for (const tenon_bind_op *op = b->first; op; op = op->next)
    for (const tenon_bind_kernel *k = op->first; k; k = k->next)
      for (size_t i = 0; i < k->n_keys; ++i)
        for (uint16_t p = 0; p < op->n_params; ++p)
          if (op->params[p].role != TENON_BIND_ATTR &&
              op->params[p].argument->is_list &&
              k->keys[i].ranks[op->params[p].slot] >= 0)
            return true;
  return false;
}

static bool is_matched(const tenon_bind_op *op, const tenon_bind_kernel *k,
                       const tenon_bind_key *key) {
  return k->condition || has_ranks(op, key);
}

static void put_match(tenon_buf *out, const tenon_bindings *b,
                      const tenon_bind_op *op, unsigned id,
                      const tenon_bind_kernel *k, const tenon_bind_key *key) {
  bool is_first = true;
  if (!is_matched(op, k, key)) return;
  tenon_buf_format(out, "static bool %s_%s(const tenon_call *c) {\n",
                   key->is_ordered ? "fits" : "match", key->symbol);
  if (k->condition && tenon_glue_attrs(out, b, op, id))
    tenon_buf_text(out, "  (void)a;\n");
  tenon_buf_text(out, "  return ");
  if (k->condition) {
    tenon_buf_format(out, "%s == 1", k->condition);
    is_first = false;
  }
  for (uint16_t i = 0; i < op->n_params; ++i) {
    const tenon_bind_param *p = &op->params[i];
    if (p->role == TENON_BIND_ATTR || key->ranks[p->slot] < 0) continue;
    bool may_lack = p->role == TENON_BIND_IN && p->argument->is_optional;
    tenon_buf_text(out, is_first ? "" : " && ");
    is_first = false;
    if (may_lack) {
      tenon_buf_text(out, "(!");
      tenon_glue_tensor(out, op, p);
      tenon_buf_text(out, ".dtype || ");
    }
    if (p->argument->is_list) {
      tenon_buf_text(out, "have_rank(&");
      tenon_glue_tensor(out, op, p);
      tenon_buf_text(out, ", ");
      tenon_glue_length(out, p);
      tenon_buf_format(out, ", %d)", key->ranks[p->slot]);
      continue;
    }
    tenon_glue_tensor(out, op, p);
    tenon_buf_format(out, ".rank == %d%s", key->ranks[p->slot],
                     may_lack ? ")" : "");
  }
  tenon_buf_text(out, ";\n}\n");
  if (!key->is_ordered) return;
  tenon_buf_format(out, "static bool match_%s(const tenon_call *c) {\n",
                   key->symbol);
  tenon_glue_order_use(out, op, key, "fits");
}

// Of several with conditions, or for other features, one may fit a call.
static const char *flags_of(const tenon_bind_kernel *k) {
  bool is_alone = k->condition || k->needs;
  if (k->may_fail) return is_alone ? "TENON_KERNEL_ALONE" : "0";
  return is_alone ? "TENON_KERNEL_NOFAIL | TENON_KERNEL_ALONE"
                  : "TENON_KERNEL_NOFAIL";
}

// In front of what an operator has from others; one that is described in YAML
// has its least specialised kernels as references.
static int priority_of(const tenon_bind_op *op, const tenon_bind_kernel *k,
                       const tenon_bind_key *key) {
  bool is_others = op->existing && !op->is_seen;
  return (is_others ? 1000 : 0) + tenon_bind_score(k, key) - op->least;
}

static void put_kernel_desc(tenon_buf *out, const tenon_bindings *b,
                            const tenon_bind_op *op, unsigned id,
                            const tenon_bind_kernel *k,
                            const tenon_bind_key *key) {
  put_match(out, b, op, id, k, key);
  tenon_buf_format(out,
                   "TENON_PART tenon_kernel_desc %s_desc = {\n"
                   "    .struct_size = sizeof(tenon_kernel_desc),\n"
                   "    .flags = %s,\n"
                   "    .priority = %d,\n",
                   key->symbol, flags_of(k), priority_of(op, k, key));
  tenon_buf_format(out, "    .op = \"%s\",\n", op->schema->name);
  tenon_buf_format(out, "    .symbol = \"%s\",\n    .types = \"", key->symbol);
  glue_put_types(out, op, key);
  tenon_buf_text(out, "\",\n");
  if (is_matched(op, k, key))
    tenon_buf_format(out, "    .match = match_%s,\n", key->symbol);
  tenon_glue_order(out, op, key);
  if (k->needs) tenon_buf_format(out, "    .needs = \"%s\",\n", k->needs);
  tenon_buf_format(out, "    .run = %s,\n};\n", key->symbol);
}

static const char *file_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

// References first: the registry wants one of priority 0 in front.
static void put_kernel_list(tenon_buf *out, const tenon_bind_op *op) {
  for (int rest = 0; rest < 2; ++rest)
    for (const tenon_bind_kernel *k = op->first; k; k = k->next)
      for (size_t i = 0; i < k->n_keys; ++i)
        if ((priority_of(op, k, &k->keys[i]) > 0) == rest)
          tenon_buf_format(out, "&%s_desc, ", k->keys[i].symbol);
}

// The descriptor of an operator: my_ops::mul4 is tenon_op_my_ops_mul4.
static void glue_put_name(tenon_buf *out, const tenon_bind_op *op) {
  tenon_buf_text(out, "tenon_op_");
  tenon_name_ident(op->schema->name, out);
}

// Results that are like an operand, and written arguments, which keep their
// type.
static void put_infer(tenon_buf *out, const tenon_bind_op *op, unsigned id) {
  const tenon_schema *s = op->schema;
  if (op->existing || !op->like) return;
  tenon_buf_format(out, "static tenon_status infer_%u(tenon_infer *c) {\n", id);
  for (uint16_t i = 0; i < op->n_results; ++i)
    tenon_buf_format(out,
                     "  if (!tenon_infer_in(c, %d))\n"
                     "    return tenon_infer_fail(c, \"'%s' is absent\");\n"
                     "  TENON_TRY(tenon_infer_out(c, %u, tenon_infer_in(c, "
                     "%d)));\n",
                     op->like[i], tenon_schema_tensor(s, op->like[i])->name,
                     (unsigned)i, op->like[i]);
  tenon_buf_text(out, "  return TENON_OK;\n}\n");
}

static void put_op_desc(tenon_buf *out, const tenon_bindings *b,
                        const tenon_bind_op *op, unsigned id) {
  if (op->existing) return;
  put_infer(out, op, id);
  tenon_buf_text(out, "TENON_PARTS ");
  glue_put_name(out, op);
  tenon_buf_text(out, "_kernels[] = {");
  put_kernel_list(out, op);
  tenon_buf_text(out, "NULL};\nTENON_PART tenon_op_desc ");
  glue_put_name(out, op);
  tenon_buf_text(out,
                 " = {\n"
                 "    .struct_size = sizeof(tenon_op_desc),\n");
  if (!op->is_random || op->is_atens)
    tenon_buf_format(out, "    .flags = %s%s%s,\n",
                     op->is_random ? "" : "TENON_OP_PURE",
                     !op->is_random && op->is_atens ? " | " : "",
                     op->is_atens ? "TENON_OP_OVERRIDES" : "");
  tenon_buf_text(out, "    .schema = ");
  tenon_buf_quote(out, op->text, strlen(op->text));
  tenon_buf_format(out, ",\n    .doc = \"Bound in %s.\",\n    .kernels = ",
                   file_name(b->path));
  glue_put_name(out, op);
  tenon_buf_text(out, "_kernels,\n");
  if (op->like) tenon_buf_format(out, "    .infer = infer_%u,\n", id);
  tenon_buf_text(out, "};\n");
}

static void put_plugin(tenon_buf *out, const tenon_bindings *b) {
  tenon_buf_format(out,
                   "static const tenon_plugin %s_plugin = {\n"
                   "    TENON_PLUGIN_HEADER,\n"
                   "    .name = \"%s\",\n"
                   "    .version = \"1.0.0\",\n"
                   "    .ops = (const tenon_op_desc *const[]){",
                   b->plugin, b->plugin);
  for (const tenon_bind_op *op = b->first; op; op = op->next) {
    if (op->existing) continue;
    tenon_buf_char(out, '&');
    glue_put_name(out, op);
    tenon_buf_text(out, ", ");
  }
  tenon_buf_text(out,
                 "NULL},\n    .kernels = (const tenon_kernel_desc *const[]){");
  for (const tenon_bind_op *op = b->first; op; op = op->next)
    if (op->existing) put_kernel_list(out, op);
  tenon_buf_format(out, "NULL},\n};\nTENON_PLUGIN_EXPORT(%s, %s_plugin);\n",
                   b->plugin, b->plugin);
}

// ---------------------------------------------------------------------------
// The file
// ---------------------------------------------------------------------------

// A function of the user's sources is of this module alone where these are
// emitted; another comes from elsewhere, and needs a declaration.
static void put_declarations(tenon_buf *out, const tenon_bindings *b,
                             tenon_glue_use use) {
  for (const tenon_bind_op *op = b->first; op; op = op->next)
    for (const tenon_bind_kernel *k = op->first; k; k = k->next) {
      bool is_own = tenon_glue_defines(b, k->function);
      bool is_needed = is_own || b->headers || use == TENON_GLUE_COMPILED;
      if (is_needed) tenon_buf_text(out, "#ifdef TENON_EMITTED\n");
      tenon_buf_text(out, is_own ? "static " : "extern ");
      tenon_glue_prototype(op, k, k->function, out);
      tenon_buf_text(out, is_needed ? ";\n#endif\n" : ";\n");
    }
}

static void glue_put_files(tenon_buf *out, const tenon_bindings *b,
                           tenon_glue_use use) {
  bool has_lines = use == TENON_GLUE_COMPILED;
  tenon_buf_text(out, "#ifndef TENON_EMITTED\n");
  for (const tenon_bind_file *f = b->headers; f; f = f->next)
    tenon_buf_format(out, "#include \"%s\"\n", file_name(f->path));
  tenon_buf_text(out, "#endif\n");
  for (const tenon_bind_file *f = b->sources; f; f = f->next) {
    tenon_buf_format(out, "\n// --- %s\n", file_name(f->path));
    if (has_lines) tenon_buf_format(out, "#line 1 \"%s\"\n", f->path);
    tenon_buf_add(out, f->text.data, f->text.size);
    if (!tenon_text_ends(f->text.data, "\n")) tenon_buf_char(out, '\n');
  }
  if (has_lines) tenon_buf_text(out, "#line 1 \"glue\"\n");
  tenon_buf_text(out, "// --- glue\n");
}

static void put_checks(tenon_buf *out, const tenon_bindings *b) {
  unsigned number = 0;
  for (const tenon_bind_op *op = b->first; op; op = op->next)
    for (const tenon_bind_kernel *k = op->first; k; k = k->next, ++number) {
      tenon_buf_format(out, "_Static_assert(\n    _Generic(&%s, ", k->function);
      tenon_glue_prototype(op, k, NULL, out);
      tenon_buf_format(out,
                       ": 1, default: 0),\n    \"%s does not fit %s: "
                       "expected ",
                       k->function, op->given->name);
      tenon_glue_prototype(op, k, k->function, out);
      tenon_buf_format(out, " [" TENON_GLUE_MARK " %u]\");\n", number);
    }
}

tenon_status tenon_glue_write(const tenon_bindings *b, tenon_glue_use use,
                              tenon_buf *out) {
  unsigned id = 0;
  tenon_buf_format(out,
                   "// Kernels bound in %s, with their sources: a plugin for "
                   "Tenon, made by\n// `tenon bind`.\n"
                   "#include <stddef.h>\n\n#include \"tenon/tensor.h\"\n",
                   file_name(b->path));
  put_declarations(out, b, use);
  glue_put_files(out, b, use);
  if (has_orders(b)) tenon_glue_order_helper(out, b);
  for (const tenon_bind_op *op = b->first; op; op = op->next, ++id) {
    tenon_glue_struct(out, b, op, id);
    for (const tenon_bind_kernel *k = op->first; k; k = k->next)
      for (size_t i = 0; i < k->n_keys; ++i)
        tenon_glue_wrapper(out, b, op, id, k, &k->keys[i]);
  }
  tenon_buf_text(
      out, "\n#ifndef TENON_EMITTED\n#include \"tenon/ext/plugin.h\"\n\n");
  put_checks(out, b);
  if (has_conditions(b)) tenon_glue_when_helpers(out);
  if (has_list_ranks(b))
    tenon_buf_text(out,
                   "\nstatic bool have_rank(const tenon_tensor *t, size_t n, "
                   "int rank) {\n  for (size_t i = 0; i < n; ++i)\n    if "
                   "(t[i].rank != rank) return false;\n  return true;\n}\n");
  id = 0;
  for (const tenon_bind_op *op = b->first; op; op = op->next, ++id) {
    tenon_buf_format(out, "\n// %s\n", op->written);
    for (const tenon_bind_kernel *k = op->first; k; k = k->next)
      for (size_t i = 0; i < k->n_keys; ++i)
        put_kernel_desc(out, b, op, id, k, &k->keys[i]);
    put_op_desc(out, b, op, id);
  }
  put_plugin(out, b);
  tenon_buf_text(out, "#endif  // TENON_EMITTED\n");
  if (out->failed)
    return tenon_fail_memory(&b->cx->report, "writing the glue of bindings");
  return TENON_OK;
}
