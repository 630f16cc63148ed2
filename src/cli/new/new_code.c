// How: the kernel copies operands, which is something that every way of
// computing it can be compared by; the comments say where the real computation
// goes. The shape rule gives every result the type of the operand it copies, or
// what the model declares.
#include <ctype.h>
#include <string.h>

#include "cli/new/new.h"

static bool new_code_is_list(const tenon_argument_info *a) {
  return (a->flags & TENON_ARGUMENT_LIST) != 0;
}

// A result that is the value of a written argument afterwards has no value of
// its own to compute. The operand, or -1.
static int written_operand(const new_plan *p, size_t result) {
  for (size_t i = 0; i < p->n_in; ++i)
    if (p->in[i].info->written == (int32_t)result) return (int)i;
  return -1;
}

static size_t new_code_count_results(const new_plan *p) {
  size_t n = p->spec->signature->n_results;
  for (size_t i = 0; i < p->n_in; ++i)
    if (p->in[i].info->written >= (int32_t)n) ++n;
  return n;
}

static bool result_is_list(const new_plan *p, size_t i) {
  const tenon_signature *s = p->spec->signature;
  return i < s->n_results && new_code_is_list(&s->results[i]);
}

static bool any_list_result(const new_plan *p) {
  for (size_t i = 0; i < p->spec->signature->n_results; ++i)
    if (new_code_is_list(&p->spec->signature->results[i])) return true;
  return false;
}

// The list operand that a list of results is as long as; -1: one result.
static int list_source(const new_plan *p) {
  for (size_t i = 0; i < p->n_in; ++i)
    if (p->in[i].is_list && !p->in[i].is_optional) return (int)i;
  return -1;
}

// --- the kernel -------------------------------------------------------------

static bool write_helper(const new_plan *p, cli_bytes *out) {
  if (p->is_simple) return true;
  return cli_bytes_format(
      out,
      "// A placeholder: as much of `from` as there is room for, then zeros.\n"
      "TENON_INLINE void %s_copy(const tenon_tensor *from,\n"
      "                          const tenon_tensor *to, size_t element) {\n"
      "  size_t n = from && from->dtype ? tenon_count(from) : 0;\n"
      "  size_t room = tenon_count(to);\n"
      "  if (n > room) n = room;\n"
      "  if (n) memmove(to->data, from->data, n * element);\n"
      "  if (n < room)\n"
      "    memset((char *)to->data + n * element, 0, (room - n) * element);\n"
      "}\n\n",
      p->spec->id);
}

static bool new_code_write_operand(const new_plan *p, size_t i,
                                   cli_bytes *out) {
  char name[160];
  const new_operand *o = &p->in[i];
  new_identifier(o->info->name, name, sizeof name);
  bool ok =
      p->has_lists
          ? cli_bytes_format(out,
                             "  const tenon_tensor *%s =\n"
                             "      &c->in[c->in_group ? c->in_group[%zu] : "
                             "%zu];",
                             name, i, i)
          : cli_bytes_format(out, "  const tenon_tensor *%s = &c->in[%zu];",
                             name, i);
  if (ok && o->is_list)
    ok = cli_bytes_format(
        out, "  // up to c->in_group[%zu], which is beyond the last", i + 1);
  else if (ok && o->is_optional)
    ok = cli_bytes_format(out, "  // dtype 0: absent");
  return ok && cli_bytes_add(out, "\n", 1);
}

static bool write_unused(const new_plan *p, cli_bytes *out) {
  char name[160];
  bool ok = true, has_attrs = p->has_fields;
  if (has_attrs) ok = cli_bytes_format(out, "  (void)a;  // a->...\n");
  for (size_t i = 0; ok && i < p->n_in; ++i) {
    new_identifier(p->in[i].info->name, name, sizeof name);
    ok = cli_bytes_format(out, "  (void)%s;\n", name);
  }
  return ok;
}

static bool write_copy(const new_plan *p, size_t result, cli_bytes *out) {
  char from[224] = "NULL", at[64];
  int operand = written_operand(p, result), list = list_source(p);
  if (operand >= 0)
    return cli_bytes_format(
        out, "  // c->out[%zu] holds `%s` before; it is to hold it after.\n",
        result, p->in[operand].info->name);
  // Elements of another type are not copied: zeros.
  const char *type = new_result_type(p, result);
  if (p->source >= 0 && strcmp(p->in[p->source].type, type) == 0)
    new_identifier(p->in[p->source].info->name, from, sizeof from);
  const char *element = new_c_type(type);
  if (!any_list_result(p))
    return cli_bytes_format(out, "  %s_copy(%s, &c->out[%zu], sizeof(%s));\n",
                            p->spec->id, from, result, element);
  if (!result_is_list(p, result)) {
    snprintf(at, sizeof at, "c->out_group ? c->out_group[%zu] : %zu", result,
             result);
    return cli_bytes_format(out, "  %s_copy(%s, &c->out[%s], sizeof(%s));\n",
                            p->spec->id, from, at, element);
  }
  if (list >= 0 && strcmp(p->in[list].type, type) == 0) {
    new_identifier(p->in[list].info->name, from, sizeof from);
    size_t used = strlen(from);
    snprintf(from + used, sizeof from - used, " + (i - begin%zu)", result);
  }
  return cli_bytes_format(
      out,
      "  int begin%zu = c->out_group ? c->out_group[%zu] : %zu;\n"
      "  int end%zu = c->out_group ? c->out_group[%zu] : %zu;\n"
      "  for (int i = begin%zu; i < end%zu; ++i)\n"
      "    %s_copy(%s, &c->out[i], sizeof(%s));\n",
      result, result, result, result, result + 1, result + 1, result, result,
      p->spec->id, from, element);
}

static bool write_simple(const new_plan *p, cli_bytes *out) {
  char name[160];
  const char *type = new_c_type(p->in[0].type);
  new_identifier(p->in[0].info->name, name, sizeof name);
  return cli_bytes_format(
      out,
      "  const %s *%s = (const %s *)c->in[0].data;\n"
      "  %s *y = (%s *)c->out[0].data;\n"
      "  size_t n = tenon_count(&c->out[0]);\n"
      "%s"
      "  for (size_t i = 0; i < n; ++i)\n"
      "    y[i] = %s[i];  // STEP 1: the computation goes here\n",
      type, name, type, type, type,
      p->has_fields ? "  (void)a;  // a->...\n" : "", name);
}

bool new_kernel_write(const new_plan *p, cli_bytes *out) {
  size_t n = new_code_count_results(p);
  bool ok = write_helper(p, out) &&
            cli_bytes_format(out,
                             "// The reference: plain C, obviously right.\n"
                             "TENON_KERNEL(%s_%s) {\n",
                             p->spec->id, new_result_type(p, 0));
  if (ok && p->has_fields)
    ok = cli_bytes_format(out,
                          "  const %s_attrs *a = (const %s_attrs *)c->attrs;\n",
                          p->spec->id, p->spec->id);
  if (p->is_simple) {
    ok = ok && write_simple(p, out);
  } else {
    for (size_t i = 0; ok && i < p->n_in; ++i)
      ok = new_code_write_operand(p, i, out);
    ok = ok && write_unused(p, out) &&
         cli_bytes_format(out,
                          "  // STEP 1: the computation goes here, instead of "
                          "copies.\n");
    for (size_t i = 0; ok && i < n; ++i)
      ok = write_copy(p, i, out);
  }
  return ok && cli_bytes_format(out, "  return TENON_OK;\n}\n");
}

// --- the shape rule ---------------------------------------------------------

static bool write_source(const new_plan *p, cli_bytes *out) {
  if (p->source < 0)
    return cli_bytes_format(
        out,
        "  // There is no operand that is always there to take a type from.\n"
        "  tenon_dim one = {1, 0};\n"
        "  tenon_type like = {&one, NULL, TENON_F32, 1, 0};\n");
  const new_operand *o = &p->in[p->source];
  if (!p->has_lists)
    return cli_bytes_format(out,
                            "  tenon_type like = *tenon_infer_in(c, %d);  // "
                            "%s\n",
                            p->source, o->info->name);
  return cli_bytes_format(out,
                          "  int first = 0;\n"
                          "  if (c->api->group(c, %d, &first) < 1)\n"
                          "    return tenon_infer_fail(c, \"'%s' is empty\");\n"
                          "  tenon_type like = *tenon_infer_in(c, first);\n",
                          p->source, o->info->name);
}

// A list of results: as many as the list operand has tensors, each like it.
static bool write_list_result(const new_plan *p, size_t result,
                              cli_bytes *out) {
  int list = list_source(p);
  if (list < 0 && p->spec->model)
    return cli_bytes_format(
        out,
        "  int said_count = 0;  // as many as the file has\n"
        "  while (c->api->declared(c, at + said_count)) ++said_count;\n"
        "  int made = said_count ? said_count : 1;\n"
        "  TENON_TRY(c->api->results(c, %zu, made));\n"
        "  for (int i = 0; i < made; ++i, ++at) {\n"
        "    said = c->api->declared(c, at);\n"
        "    TENON_TRY(tenon_infer_out(c, at, said ? said : &like));\n"
        "  }\n",
        result);
  if (list < 0)
    return cli_bytes_format(out,
                            "  TENON_TRY(c->api->results(c, %zu, 1));\n"
                            "  TENON_TRY(tenon_infer_out(c, at++, &like));\n",
                            result);
  return cli_bytes_format(
      out,
      "  count = c->api->group(c, %d, &from);\n"
      "  TENON_TRY(c->api->results(c, %zu, count));\n"
      "  for (int i = 0; i < count; ++i)\n"
      "    TENON_TRY(tenon_infer_out(c, at++, tenon_infer_in(c, from + i)));\n",
      list, result);
}

static bool write_written_result(const new_plan *p, int operand,
                                 cli_bytes *out) {
  if (!p->has_lists)
    return cli_bytes_format(
        out, "  TENON_TRY(tenon_infer_out(c, at++, tenon_infer_in(c, %d)));\n",
        operand);
  return cli_bytes_format(
      out,
      "  (void)c->api->group(c, %d, &from);\n"
      "  TENON_TRY(tenon_infer_out(c, at++, tenon_infer_in(c, from)));\n",
      operand);
}

static bool write_result(const new_plan *p, size_t i, cli_bytes *out) {
  int operand = written_operand(p, i);
  if (operand >= 0) return write_written_result(p, operand, out);
  if (result_is_list(p, i)) return write_list_result(p, i, out);
  if (!p->spec->model)
    return cli_bytes_format(out,
                            "  TENON_TRY(tenon_infer_out(c, at++, &like));\n");
  const char *type = new_result_type(p, i);
  const char *from = p->source >= 0 ? p->in[p->source].type : "f32";
  bool ok = cli_bytes_format(out, "  said = c->api->declared(c, at);\n");
  if (ok && strcmp(type, from) != 0) {
    char upper[16];
    size_t n = strcspn(type, "q");
    for (size_t k = 0; k <= n && k < sizeof upper; ++k)
      upper[k] = (char)(k < n ? toupper((unsigned char)type[k]) : 0);
    ok = cli_bytes_format(out,
                          "  like.dtype = TENON_%s;\n"
                          "  like.quant = NULL;\n",
                          upper);
  }
  return ok &&
         cli_bytes_format(out,
                          "  TENON_TRY(tenon_infer_out(c, at++, said ? said : "
                          "&like));\n");
}

static bool uses_like(const new_plan *p, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    bool is_copy = written_operand(p, i) >= 0;
    if (!is_copy && !(result_is_list(p, i) && list_source(p) >= 0)) return true;
  }
  return false;
}

bool new_infer_write(const new_plan *p, cli_bytes *out) {
  size_t n = new_code_count_results(p);
  bool has_from = p->has_lists;
  bool ok =
      cli_bytes_format(
          out,
          "// STEP 2: types and shapes of the results, and what operands and "
          "attributes\n// must be like: tenon_infer_fail(c, ...) refuses%s.\n"
          "static tenon_status %s_infer(tenon_infer *c) {\n",
          p->n_in > 1 ? ", TENON_TRY(\n// tenon_infer_same_shape(c, 0, 1)) "
                        "refuses operands of two shapes"
                      : "",
          p->spec->id) &&
      write_source(p, out) && cli_bytes_format(out, "  int at = 0;\n");
  if (ok && has_from &&
      (any_list_result(p) || n > p->spec->signature->n_results))
    ok = cli_bytes_format(out,
                          "  int from = 0, count = 0;\n  (void)from;\n"
                          "  (void)count;\n");
  if (ok && p->spec->model)
    ok = cli_bytes_format(out,
                          "  const tenon_type *said = NULL;  // by the file\n"
                          "  (void)said;\n");
  if (ok && !uses_like(p, n)) ok = cli_bytes_format(out, "  (void)like;\n");
  for (size_t i = 0; ok && i < n; ++i)
    ok = write_result(p, i, out);
  return ok && cli_bytes_format(out, "  return TENON_OK;\n}\n\n");
}
