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

static void write_helper(const new_plan *p, tenon_buf *out) {
  if (p->is_simple) return;
  tenon_put(
      out,
      "// A placeholder: as much of `from` as there is room for, then zeros.\n"
      "TENON_INLINE void $_copy(const tenon_tensor *from,\n"
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

static void new_code_write_operand(const new_plan *p, size_t i,
                                   tenon_buf *out) {
  char name[160];
  const new_operand *o = &p->in[i];
  new_identifier(o->info->name, name, sizeof name);
  tenon_put(out, "  const tenon_tensor *$ =", name);
  if (p->has_lists)
    tenon_put(out, "\n      &c->in[c->in_group ? c->in_group[$] : $];", i, i);
  else
    tenon_put(out, " &c->in[$];", i);
  if (o->is_list)
    tenon_put(out, "  // up to c->in_group[$], which is beyond the last",
              i + 1);
  else if (o->is_optional)
    tenon_buf_text(out, "  // dtype 0: absent");
  tenon_buf_char(out, '\n');
}

static void write_unused(const new_plan *p, tenon_buf *out) {
  char name[160];
  if (p->has_fields) tenon_buf_text(out, "  (void)a;  // a->...\n");
  for (size_t i = 0; i < p->n_in; ++i) {
    new_identifier(p->in[i].info->name, name, sizeof name);
    tenon_put(out, "  (void)$;\n", name);
  }
}

static void write_copy(const new_plan *p, size_t result, tenon_buf *out) {
  char from[224] = "NULL", at[96];
  int operand = written_operand(p, result), list = list_source(p);
  if (operand >= 0) {
    tenon_put(out, "  // c->out[$] holds `$` before; it is to hold it after.\n",
              result, p->in[operand].info->name);
    return;
  }
  // Elements of another type are not copied: zeros.
  const char *type = new_result_type(p, result);
  if (p->source >= 0 && strcmp(p->in[p->source].type, type) == 0)
    new_identifier(p->in[p->source].info->name, from, sizeof from);
  const char *element = new_c_type(type);
  if (!result_is_list(p, result)) {
    snprintf(at, sizeof at, "c->out_group ? c->out_group[%zu] : %zu", result,
             result);
    if (!any_list_result(p)) snprintf(at, sizeof at, "%zu", result);
    tenon_put(out, "  $_copy($, &c->out[$], sizeof($));\n", p->spec->id, from,
              at, element);
    return;
  }
  if (list >= 0 && strcmp(p->in[list].type, type) == 0) {
    new_identifier(p->in[list].info->name, from, sizeof from);
    size_t used = strlen(from);
    snprintf(from + used, sizeof from - used, " + (i - begin%zu)", result);
  }
  tenon_put(out,
            "  int begin$ = c->out_group ? c->out_group[$] : $;\n"
            "  int end$ = c->out_group ? c->out_group[$] : $;\n"
            "  for (int i = begin$; i < end$; ++i)\n"
            "    $_copy($, &c->out[i], sizeof($));\n",
            result, result, result, result, result + 1, result + 1, result,
            result, p->spec->id, from, element);
}

static void write_simple(const new_plan *p, tenon_buf *out) {
  char name[160];
  const char *type = new_c_type(p->in[0].type);
  new_identifier(p->in[0].info->name, name, sizeof name);
  tenon_put(out,
            "  const $ *$ = (const $ *)c->in[0].data;\n"
            "  $ *y = ($ *)c->out[0].data;\n"
            "  size_t n = tenon_count(&c->out[0]);\n"
            "$"
            "  for (size_t i = 0; i < n; ++i)\n"
            "    y[i] = $[i];  // STEP 1: the computation goes here\n",
            type, name, type, type, type,
            p->has_fields ? "  (void)a;  // a->...\n" : "", name);
}

void new_kernel_write(const new_plan *p, tenon_buf *out) {
  size_t n = new_code_count_results(p);
  const char *id = p->spec->id;
  write_helper(p, out);
  tenon_put(out,
            "// The reference: plain C, obviously right.\n"
            "TENON_KERNEL($_$) {\n",
            id, new_result_type(p, 0));
  if (p->has_fields)
    tenon_put(out, "  const $_attrs *a = (const $_attrs *)c->attrs;\n", id, id);
  if (p->is_simple) {
    write_simple(p, out);
  } else {
    for (size_t i = 0; i < p->n_in; ++i)
      new_code_write_operand(p, i, out);
    write_unused(p, out);
    tenon_buf_text(
        out, "  // STEP 1: the computation goes here, instead of copies.\n");
    for (size_t i = 0; i < n; ++i)
      write_copy(p, i, out);
  }
  tenon_buf_text(out, "  return TENON_OK;\n}\n");
}

// --- the shape rule ---------------------------------------------------------

static void write_source(const new_plan *p, tenon_buf *out) {
  const new_operand *o = p->source < 0 ? NULL : &p->in[p->source];
  if (!o)
    tenon_buf_text(
        out,
        "  // There is no operand that is always there to take a type from.\n"
        "  tenon_dim one = {1, 0};\n"
        "  tenon_type like = {&one, NULL, TENON_F32, 1, 0};\n");
  else if (!p->has_lists)
    tenon_put(out, "  tenon_type like = *tenon_infer_in(c, $);  // $\n",
              p->source, o->info->name);
  else
    tenon_put(out,
              "  int first = 0;\n"
              "  if (c->api->group(c, $, &first) < 1)\n"
              "    return tenon_infer_fail(c, \"'$' is empty\");\n"
              "  tenon_type like = *tenon_infer_in(c, first);\n",
              p->source, o->info->name);
}

// A list of results: as many as the list operand has tensors, each like it.
static void write_list_result(const new_plan *p, size_t result,
                              tenon_buf *out) {
  int list = list_source(p);
  if (list < 0 && p->spec->model)
    tenon_put(out,
              "  int said_count = 0;  // as many as the file has\n"
              "  while (c->api->declared(c, at + said_count)) ++said_count;\n"
              "  int made = said_count ? said_count : 1;\n"
              "  TENON_TRY(c->api->results(c, $, made));\n"
              "  for (int i = 0; i < made; ++i, ++at) {\n"
              "    said = c->api->declared(c, at);\n"
              "    TENON_TRY(tenon_infer_out(c, at, said ? said : &like));\n"
              "  }\n",
              result);
  else if (list < 0)
    tenon_put(out,
              "  TENON_TRY(c->api->results(c, $, 1));\n"
              "  TENON_TRY(tenon_infer_out(c, at++, &like));\n",
              result);
  else
    tenon_put(out,
              "  count = c->api->group(c, $, &from);\n"
              "  TENON_TRY(c->api->results(c, $, count));\n"
              "  for (int i = 0; i < count; ++i)\n"
              "    TENON_TRY(tenon_infer_out(c, at++, tenon_infer_in(c, from + "
              "i)));\n",
              list, result);
}

static void write_written_result(const new_plan *p, int operand,
                                 tenon_buf *out) {
  if (p->has_lists)
    tenon_put(
        out,
        "  (void)c->api->group(c, $, &from);\n"
        "  TENON_TRY(tenon_infer_out(c, at++, tenon_infer_in(c, from)));\n",
        operand);
  else
    tenon_put(out,
              "  TENON_TRY(tenon_infer_out(c, at++, tenon_infer_in(c, $)));\n",
              operand);
}

static void write_result(const new_plan *p, size_t i, tenon_buf *out) {
  const char *type = new_result_type(p, i);
  const char *from = p->source >= 0 ? p->in[p->source].type : "f32";
  tenon_buf_text(out, "  said = c->api->declared(c, at);\n");
  if (strcmp(type, from) != 0) {
    char upper[16];
    size_t n = strcspn(type, "q");
    for (size_t k = 0; k <= n && k < sizeof upper; ++k)
      upper[k] = (char)(k < n ? toupper((unsigned char)type[k]) : 0);
    tenon_put(out,
              "  like.dtype = TENON_$;\n"
              "  like.quant = NULL;\n",
              upper);
  }
  tenon_buf_text(
      out, "  TENON_TRY(tenon_infer_out(c, at++, said ? said : &like));\n");
}

static void write_any_result(const new_plan *p, size_t i, tenon_buf *out) {
  int operand = written_operand(p, i);
  if (operand >= 0)
    write_written_result(p, operand, out);
  else if (result_is_list(p, i))
    write_list_result(p, i, out);
  else if (p->spec->model)
    write_result(p, i, out);
  else
    tenon_buf_text(out, "  TENON_TRY(tenon_infer_out(c, at++, &like));\n");
}

static bool uses_like(const new_plan *p, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    bool is_copy = written_operand(p, i) >= 0;
    if (!is_copy && !(result_is_list(p, i) && list_source(p) >= 0)) return true;
  }
  return false;
}

void new_infer_write(const new_plan *p, tenon_buf *out) {
  size_t n = new_code_count_results(p);
  tenon_put(out,
            "// STEP 2: types and shapes of the results, and what operands and "
            "attributes\n// must be like: tenon_infer_fail(c, ...) refuses$.\n"
            "static tenon_status $_infer(tenon_infer *c) {\n",
            p->n_in > 1 ? ", TENON_TRY(\n// tenon_infer_same_shape(c, 0, 1)) "
                          "refuses operands of two shapes"
                        : "",
            p->spec->id);
  write_source(p, out);
  tenon_buf_text(out, "  int at = 0;\n");
  if (p->has_lists && (any_list_result(p) || n > p->spec->signature->n_results))
    tenon_buf_text(out,
                   "  int from = 0, count = 0;\n  (void)from;\n"
                   "  (void)count;\n");
  if (p->spec->model)
    tenon_buf_text(out,
                   "  const tenon_type *said = NULL;  // by the file\n"
                   "  (void)said;\n");
  if (!uses_like(p, n)) tenon_buf_text(out, "  (void)like;\n");
  for (size_t i = 0; i < n; ++i)
    write_any_result(p, i, out);
  tenon_buf_text(out, "  return TENON_OK;\n}\n\n");
}
