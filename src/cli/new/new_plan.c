// How: the arguments of the signature are sorted into operands and attributes
// once, and what the generated code will do is decided here: every result is a
// copy of one operand, the first that is always there.
#include <string.h>

#include "cli/new/new.h"

const char *new_c_type(const char *type) {
  static const char *const rows[][2] = {
      {"f32", "float"},    {"f64", "double"},   {"s8", "int8_t"},
      {"s16", "int16_t"},  {"s32", "int32_t"},  {"s64", "int64_t"},
      {"u8", "uint8_t"},   {"bool", "uint8_t"}, {"u16", "uint16_t"},
      {"u32", "uint32_t"}, {"u64", "uint64_t"}, {"f16", "uint16_t"},
      {"bf16", "uint16_t"}};
  size_t n = strcspn(type, "q");
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
    if (strlen(rows[i][0]) == n && strncmp(rows[i][0], type, n) == 0)
      return rows[i][1];
  return "uint8_t";
}

const char *new_result_type(const new_plan *p, size_t i) {
  const char *type = i < NEW_MOST ? p->spec->out_types[i] : NULL;
  if (type) return type;
  return p->source >= 0 ? p->in[p->source].type : "f32";
}

void new_identifier(const char *name, char *out, size_t size) {
  // Of C and of what the generated functions call their own.
  static const char words[] =
      " auto break case char const continue default do double else enum extern "
      "float for goto if inline int long register restrict return short signed "
      "sizeof static struct switch typedef union unsigned void volatile while "
      "bool true false NULL c a y n i at first count result type one ";
  char word[160];
  snprintf(word, sizeof word, " %s ", name);
  snprintf(out, size, "%s%s", name, strstr(words, word) ? "_" : "");
}

static bool add_operand(cli *c, new_plan *p, const tenon_argument_info *a) {
  if (p->n_in == NEW_MOST) {
    (void)cli_fail(c, TENON_UNSUPPORTED, "new-schema",
                   "more than %d tensors as arguments", NEW_MOST);
    return false;
  }
  const char *known = p->spec->in_types[p->n_in];
  new_operand *o = &p->in[p->n_in];
  o->info = a;
  o->index = (int)p->n_in++;
  o->type = known ? known : "f32";
  o->is_list = (a->flags & TENON_ARGUMENT_LIST) != 0;
  o->is_optional = (a->flags & TENON_ARGUMENT_OPTIONAL) != 0;
  p->has_lists = p->has_lists || o->is_list;
  return true;
}

static int new_plan_find_source(const new_plan *p) {
  for (size_t i = 0; i < p->n_in; ++i)
    if (!p->in[i].is_list && !p->in[i].is_optional) return (int)i;
  for (size_t i = 0; i < p->n_in; ++i)
    if (p->in[i].is_list && !p->in[i].is_optional) return (int)i;
  return -1;
}

static bool new_plan_check_results(cli *c, const new_plan *p) {
  const tenon_signature *s = p->spec->signature;
  size_t n_written = 0;
  for (size_t i = 0; i < p->n_in; ++i)
    n_written += p->in[i].info->written >= 0;
  for (size_t i = 0; i < s->n_results; ++i)
    if (!(s->results[i].flags & TENON_ARGUMENT_TENSOR)) {
      (void)cli_fail(c, TENON_UNSUPPORTED, "new-schema",
                     "result %zu is '%s'; kernels have tensors as results", i,
                     s->results[i].type);
      return false;
    }
  if (s->n_results + n_written == 0 || s->n_results > NEW_MOST) {
    (void)cli_fail(c, TENON_UNSUPPORTED, "new-schema",
                   "'%s' has %zu results and %zu written arguments", s->name,
                   s->n_results, n_written);
    return false;
  }
  return true;
}

bool new_plan_make(cli *c, const new_spec *spec, new_plan *out) {
  const tenon_signature *s = spec->signature;
  memset(out, 0, sizeof *out);
  out->spec = spec;
  out->has_fields = true;
  for (size_t i = 0; i < s->n_args; ++i) {
    if (s->args[i].flags & TENON_ARGUMENT_TENSOR) {
      if (!add_operand(c, out, &s->args[i])) return false;
    } else {
      ++out->n_attrs;
      if (s->args[i].kind == 0) out->has_fields = false;
    }
  }
  if (out->n_attrs == 0) out->has_fields = false;
  out->source = new_plan_find_source(out);
  out->is_simple = out->n_in == 1 && s->n_results == 1 && !out->in[0].is_list &&
                   !(s->results[0].flags & TENON_ARGUMENT_LIST) &&
                   out->source == 0 && out->in[0].info->written < 0 &&
                   strcmp(new_result_type(out, 0), out->in[0].type) == 0 &&
                   !spec->model;
  return new_plan_check_results(c, out);
}
