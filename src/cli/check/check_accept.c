// How: a row is read as a module and run with the reference, then with the
// kernel. Results that are quantised must be declared, so their shapes are
// learnt from the same row in floats first.
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cli/check/check.h"

// --- learning types ---------------------------------------------------------

static json_t *find_node(json_t *document, const char *op) {
  json_t *graph = json_array_get(json_object_get(document, "functions"), 0);
  json_t *nodes = json_object_get(graph, "nodes"), *node = NULL;
  size_t i = 0;
  json_array_foreach(nodes, i, node) {
    const char *name = json_string_value(json_object_get(node, "op"));
    if (name && strcmp(name, op) == 0) return node;
  }
  return NULL;
}

// "s8[2,3]{0.5:0}" from the shape that floats have and the kernel's type.
static bool accept_declare(check_row *row, checker *k, const char *shape,
                           const check_operand_type *type, size_t i,
                           size_t *at) {
  const char *brackets = strchr(shape, '[');
  size_t room = sizeof row->types - *at;
  double scale = row->n_in ? row->in[0].scale : 0.5;
  if (!brackets) return false;
  size_t n = strcspn(brackets, "]") + 1, name = strcspn(shape, "[");
  // What the rule made f32 of may be so only because the operands were.
  bool use_own = type->quant || (name == 3 && strncmp(shape, "f32", 3) == 0);
  int used = snprintf(row->types + *at, room, "%s%.*s%.*s", i ? ", " : "",
                      use_own ? (int)strlen(type->name) : (int)name,
                      use_own ? type->name : shape, (int)n, brackets);
  if (used < 0 || (size_t)used >= room) return false;
  *at += (size_t)used;
  room -= (size_t)used;
  if (!type->quant) return true;
  if (type->quant == 'c') return false;
  // The scale of the operand, twice that, or one that is usual for what lies
  // between 0 and 1, or -1 and 1.
  int way = check_below(&k->random, 4);
  bool is_s8 = strcmp(type->name, "s8") == 0;
  bool is_s16 = strcmp(type->name, "s16") == 0;
  int zero = !is_s8                 ? 0
             : way < 2 && row->n_in ? row->in[0].zero
                                    : check_below(&k->random, 21) - 10;
  if (way == 3 && is_s8)
    used = snprintf(
        row->types + *at, room, "%s",
        check_below(&k->random, 2) ? "{0.00390625:-128}" : "{0.0078125:0}");
  else if (way == 3 && strcmp(type->name, "u8") == 0)
    used = snprintf(
        row->types + *at, room, "%s",
        check_below(&k->random, 2) ? "{0.00390625:0}" : "{0.0078125:128}");
  else if (way == 3 && is_s16)
    used = snprintf(row->types + *at, room, "{3.0517578125e-05:0}");
  else
    used = snprintf(row->types + *at, room, "{%.10g:%d}",
                    way < 2 ? scale : scale * 2, zero);
  *at += (size_t)used;
  return (size_t)used < room;
}

// The type of a result as text, lists of results flattened; null: none.
static const char *result_type(const json_t *node, size_t flat) {
  const json_t *groups = json_object_get(node, "results");
  for (size_t g = 0; g < json_array_size(groups); ++g) {
    const json_t *item = json_array_get(groups, g);
    size_t n = json_is_array(item) ? json_array_size(item) : 1;
    if (flat < n) {
      if (json_is_array(item)) item = json_array_get(item, flat);
      return json_string_value(
          json_object_get(json_object_get(item, "type"), "text"));
    }
    flat -= n;
  }
  return NULL;
}

static bool learn(checker *k, check_row *row, json_t *document) {
  json_t *node = find_node(document, row->op->op.name);
  size_t at = 0, flat = 0;
  row->types[0] = 0;
  if (!node || result_type(node, row->n_out)) return false;
  for (size_t g = 0; g < row->n_out_groups; ++g)
    for (int j = 0; j < row->out_group[g]; ++j, ++flat) {
      const char *type = result_type(node, flat);
      if (!type || !accept_declare(row, k, type, &row->out_types[g], flat, &at))
        return false;
    }
  return true;
}

// Shapes of the operands, in case floats are refused.
static bool guess(checker *k, check_row *row) {
  size_t at = 0, flat = 0;
  row->types[0] = 0;
  const check_value *v =
      row->n_in ? &row->in[check_below(&k->random, (int)row->n_in)] : NULL;
  char shape[128];
  size_t used = (size_t)snprintf(shape, sizeof shape, "f32[");
  const int rank = v ? v->rank : check_below(&k->random, CHECK_RANK);
  for (int i = 0; i < rank; ++i)
    used += (size_t)snprintf(shape + used, sizeof shape - used, "%s%d",
                             i ? "," : "",
                             v ? v->dims[i] : 1 + check_below(&k->random, 5));
  snprintf(shape + used, sizeof shape - used, "]");
  for (size_t g = 0; g < row->n_out_groups; ++g)
    for (int j = 0; j < row->out_group[g]; ++j, ++flat)
      if ((!row->out_types[g].quant && !row->is_declared) ||
          !accept_declare(row, k, shape, &row->out_types[g], flat, &at))
        return false;
  return true;
}

static bool learn_types(checker *k, check_row *row) {
  tenon_buf text = {0}, printed = {0};
  tenon_module *m = NULL;
  json_t *document = NULL;
  bool needs = false;
  for (size_t g = 0; g < row->n_out_groups; ++g)
    needs = needs || row->out_types[g].quant;
  row->types[0] = 0;
  if (row->is_declared) return guess(k, row);
  if (!needs) return true;
  bool ok = check_row_text(row, CHECK_FLOATING, &text) &&
            check_read(k, text.data, text.size, &m) &&
            tenon_module_print(m, TENON_FORMAT_JSON, cli_collect, &printed) ==
                TENON_OK;
  if (ok) document = json_loadb(printed.data, printed.size, 0, NULL);
  ok = document && learn(k, row, document);
  if (!ok) ok = guess(k, row);
  json_decref(document);
  tenon_module_destroy(m);
  tenon_buf_deinit(&text);
  tenon_buf_deinit(&printed);
  return ok;
}

// "result 1 is s8[1,4]{0.1:-7} in the model, s8[1,4]{0.25:-10} by the shape
// rule": what is declared of the result becomes what the rule says.
static bool accept_ruled(check_row *row, const char *why) {
  static const char result[] = "result ", model[] = " in the model, ";
  const char *number = strstr(why, result), *by = strstr(why, " by the shape");
  const char *type = number ? strstr(number, model) : NULL;
  if (!type || !by || by < type) return false;
  type += sizeof model - 1;
  char *at = row->types;
  for (size_t i = strtoul(number + sizeof result - 1, NULL, 10); i > 0; --i) {
    at = strstr(at, ", ");
    if (!at) return false;
    at += 2;
  }
  const size_t old = strcspn(at, " ") - (strstr(at, ", ") != NULL);
  const size_t n = (size_t)(by - type), rest = strlen(at + old) + 1;
  if ((size_t)(at - row->types) + n + rest > sizeof row->types) return false;
  memmove(at + n, at + old, rest);
  memcpy(at, type, n);
  return true;
}

// --- accepting --------------------------------------------------------------

bool check_row_is_read(checker *k, check_row *row) {
  bool ok = learn_types(k, row), again = ok;
  for (size_t i = 0; again && i <= row->n_out; ++i) {
    tenon_buf text = {0};
    tenon_module *m = NULL;
    ok = check_row_text(row, CHECK_PLAIN, &text) &&
         check_read(k, text.data, text.size, &m);
    tenon_module_destroy(m);
    tenon_buf_deinit(&text);
    again = !ok && accept_ruled(row, k->c->sink->muted);
  }
  return ok;
}

// The same on the target, whose kernels need not run here.
static bool is_planned(checker *k, const check_mode *m) {
  tenon_program *p = NULL;
  check_mode there = *m;
  there.target = k->c->emulated;
  bool ok = check_compile(k, &there, &p) == 0;
  if (ok && !check_has_kernel(p, m->kernel)) {
    snprintf(k->c->sink->muted, sizeof k->c->sink->muted,
             "the kernel is not taken");
    ok = false;
  }
  tenon_program_destroy(p);
  return ok;
}

// The reference computes it, and the kernel is taken for it.
bool check_row_computed(checker *k, const check_subject *s,
                        const check_row *row) {
  tenon_buf text = {0};
  char forced[512];
  check_result r;
  bool ok = check_row_text(row, CHECK_PLAIN, &text);
  check_mode m = {.text = text.data,
                  .size = text.size,
                  .flags = TENON_COMPILE_REFERENCE,
                  .pipeline = "functional,lower,inline",
                  .op = s->op->op.name};
  ok = ok && check_run_text(k, row, &m, &r) == 0;
  if (ok) check_result_free(&r);
  if (ok && s->kernel) {
    snprintf(forced, sizeof forced, "%s=%s", m.op, s->kernel->name);
    m.flags = 0;
    m.forced = forced;
    m.kernel = s->kernel->name;
    if (k->features) {
      ok = is_planned(k, &m);
      tenon_buf_deinit(&text);
      return ok;
    }
    ok = check_run_text(k, row, &m, &r) == 0;
    if (ok && !r.took_kernel)
      snprintf(k->c->sink->muted, sizeof k->c->sink->muted,
               "the kernel is not taken");
    ok = ok && r.took_kernel;
    check_result_free(&r);
  }
  tenon_buf_deinit(&text);
  return ok;
}
