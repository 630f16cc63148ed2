// How: a line is copied into a statement of text IR, with a name in place of
// every operand and result that has data.
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "case.h"
#include "core/dtype.h"
#include "kern/num/half.h"

typedef struct reader {
  tenon_arena *arena;
  const char *p, *error;
  tenon_buf inputs, constants, call, types, names;
  test_case *c;
} reader;

static bool fail(reader *r, const char *what) {
  if (!r->error) r->error = what;
  return false;
}

static void blanks(reader *r) {
  r->p += strspn(r->p, " \t");
}

static bool take(reader *r, const char *text) {
  size_t n = strlen(text);
  blanks(r);
  if (strncmp(r->p, text, n) != 0) return false;
  r->p += n;
  return true;
}

size_t case_bytes(const tenon_tensor *t) {
  size_t size = 0;
  return tenon_dtype_size(t->dtype, tenon_count(t), &size) ? size : 0;
}

static void store(tenon_tensor *t, size_t i, const char *word) {
  bool is_float = t->dtype == TENON_F32 || t->dtype == TENON_F64 ||
                  t->dtype == TENON_F16 || t->dtype == TENON_BF16;
  double real = is_float ? strtod(word, NULL) : 0;
  uint64_t bits = *word == '-' ? (uint64_t)strtoll(word, NULL, 10)
                               : (uint64_t)strtoull(word, NULL, 10);
  uint16_t half;
  float single = (float)real;
  if (strcmp(word, "true") == 0) bits = 1;
  size_t size = case_bytes(t) / tenon_count(t);
  const void *from = &bits;  // little-endian
  float pair[2] = {0, 0};
  if (t->dtype == TENON_C64) {  // 0.5-2j
    char *end;
    pair[0] = (float)strtod(word, &end);
    pair[1] = (float)strtod(end, NULL);
    from = pair;
  }
  if (t->dtype == TENON_F32) from = &single;
  if (t->dtype == TENON_F64) from = &real;
  if (t->dtype == TENON_F16 || t->dtype == TENON_BF16) {
    half = t->dtype == TENON_F16 ? tenon_f16_of_f32(single)
                                 : tenon_bf16_of_f32(single);
    from = &half;
  }
  memcpy((char *)t->data + i * size, from, size);
}

// {1, 2.5, nan}; one element alone stands for all.
static bool read_data(reader *r, case_tensor *out) {
  tenon_tensor *t = &out->view;
  size_t n = tenon_count(t), i = 0;
  char word[64];
  t->data = tenon_arena_alloc(r->arena, case_bytes(t) + 16, 16);
  if (!t->data) return fail(r, "no memory");
  if (!take(r, "{")) return fail(r, "expected '{' behind a type");
  const char *begin = r->p;
  for (blanks(r); *r->p && *r->p != '}'; blanks(r)) {
    size_t size = strcspn(r->p, ",} ");
    if (size == 0 || size >= sizeof word) return fail(r, "strange element");
    memcpy(word, r->p, size);
    word[size] = 0;
    r->p += size;
    if (i >= n) return fail(r, "too many elements");
    store(t, i++, word);
    if (!take(r, ",")) break;
  }
  out->text = tenon_arena_text(r->arena, begin, (size_t)(r->p - begin));
  if (!take(r, "}")) return fail(r, "expected '}' behind elements");
  size_t size = n ? case_bytes(t) / n : 0;
  for (size_t k = 1; i == 1 && k < n; ++k)
    memcpy((char *)t->data + k * size, t->data, size);
  return i == n || i == 1 || fail(r, "too few elements");
}

// {0.5:3} or {[0.5,0.25]:[0,0]@0}, which elements never look like.
static void skip_scales(reader *r) {
  size_t n = *r->p == '{' ? strcspn(r->p, ":}") : 0;
  if (n && r->p[n] == ':') r->p += strcspn(r->p, "}") + 1;
}

// f32[2,3]{...} or s8[2,3]{0.5:-3}{...}
static bool read_tensor(reader *r, case_tensor *out, bool has_data) {
  static int32_t scratch[TENON_MAX_RANK];
  memset(out, 0, sizeof *out);
  out->is_constant = take(r, "const ");
  blanks(r);
  const char *begin = r->p;
  size_t n = 0;
  while (isalnum((unsigned char)r->p[n]))
    ++n;
  tenon_text name = {r->p, n};
  out->view.dtype = tenon_dtype_find(name);
  if (!out->view.dtype) return fail(r, "expected an element type");
  r->p += n;
  if (*r->p == '[') {
    ++r->p;
    while (!take(r, "]")) {
      char *end;
      if (out->view.rank == TENON_MAX_RANK) return fail(r, "too many sizes");
      scratch[out->view.rank++] = (int32_t)strtol(r->p, &end, 10);
      if (end == r->p) return fail(r, "expected a size");
      r->p = end;
      (void)take(r, ",");
    }
  }
  skip_scales(r);
  out->type = tenon_arena_text(r->arena, begin, (size_t)(r->p - begin));
  int32_t *dims = tenon_arena_array(r->arena, int32_t, TENON_MAX_RANK);
  if (!out->type || !dims) return fail(r, "no memory");
  memcpy(dims, scratch, sizeof scratch);
  out->view.dims = dims;
  if (has_data) return read_data(r, out);
  out->view.data =
      tenon_arena_zalloc(r->arena, case_bytes(&out->view) + 16, 16);
  return out->view.data || fail(r, "no memory");
}

static void put(tenon_buf *b, const char *fmt, const char *text, size_t i) {
  char line[16384];
  snprintf(line, sizeof line, fmt, i, text);
  tenon_buf_text(b, line);
}

static bool read_operand(reader *r) {
  if (take(r, "none")) {
    tenon_buf_text(&r->call, "none");
    return true;
  }
  size_t i = r->c->n_in;
  if (i == CASE_TENSORS) return fail(r, "too many operands");
  case_tensor *t = &r->c->in[i];
  if (!read_tensor(r, t, true)) return false;
  ++r->c->n_in;
  put(t->is_constant ? &r->constants : &r->inputs,
      t->is_constant ? "  %%i%zu = const %s {" : "  %%i%zu = input %s\n",
      t->type, i);
  if (t->is_constant) {
    tenon_buf_text(&r->constants, t->text);
    tenon_buf_text(&r->constants, "}\n");
  }
  put(&r->call, "%%i%zu%s", "", i);
  return true;
}

static bool read_result(reader *r) {
  size_t i = r->c->n_out;
  if (i == CASE_TENSORS) return fail(r, "too many results");
  case_tensor *t = &r->c->out[i];
  if (!read_tensor(r, t, !r->c->refused)) return false;
  ++r->c->n_out;
  put(&r->types, i ? ", %.0zu%s" : "%.0zu%s", t->type, 0);
  put(&r->names, i ? ", %%o%zu%s" : "%%o%zu%s", "", i);
  return true;
}

// (a, none, [b, c]) into `call`
static bool read_operands(reader *r) {
  if (!take(r, "(")) return fail(r, "expected '(' behind the operator");
  tenon_buf_char(&r->call, '(');
  while (!take(r, ")")) {
    if (take(r, "["))
      tenon_buf_char(&r->call, '[');
    else if (take(r, "]"))
      tenon_buf_char(&r->call, ']');
    else if (take(r, ","))
      tenon_buf_text(&r->call, ", ");
    else if (!read_operand(r))
      return false;
  }
  tenon_buf_char(&r->call, ')');
  return true;
}

// [alpha=2, dims=[1, 2]], word by word; strings may hold anything.
static bool read_attributes(reader *r) {
  int depth = 0;
  bool is_string = false;
  blanks(r);
  if (*r->p != '[') return true;
  tenon_buf_char(&r->call, ' ');
  do {
    if (*r->p == '"') is_string = !is_string;
    if (!is_string) depth += (*r->p == '[') - (*r->p == ']');
    if (!*r->p) return fail(r, "attributes do not end");
    tenon_buf_char(&r->call, *r->p++);
  } while (depth > 0);
  return true;
}

static bool read_results(reader *r) {
  if (!take(r, "->")) return fail(r, "expected '->'");
  if (take(r, "refused")) {
    blanks(r);
    if (*r->p != '"') return fail(r, "expected a part of the message");
    size_t n = strcspn(r->p + 1, "\"");
    r->c->refused = tenon_arena_text(r->arena, r->p + 1, n);
    r->p += n + 2;
  }
  bool is_list = take(r, "[");  // a result Tensor[], alone
  do {
    if (!read_result(r)) return false;
  } while (take(r, ","));
  return !is_list || take(r, "]") || fail(r, "expected ']'");
}

static bool read_tolerance(reader *r) {
  r->c->rel = r->c->abs = -1;
  if (take(r, "~")) {
    char *end;
    r->c->rel = strtod(r->p, &end);
    r->p = end;
    r->c->abs = strtod(r->p, &end);
    if (end == r->p) return fail(r, "expected two tolerances behind '~'");
    r->p = end;
    r->c->is_close_ok = take(r, "steps");
  }
  blanks(r);
  return !*r->p || fail(r, "something behind the case");
}

static void finish(reader *r, tenon_buf *module) {
  tenon_buf_text(module, "module {\n");
  tenon_buf_add(module, r->constants.data, r->constants.size);
  tenon_buf_add(module, r->inputs.data, r->inputs.size);
  tenon_buf_text(module, "  ");
  tenon_buf_add(module, r->names.data, r->names.size);
  tenon_buf_text(module, " = ");
  tenon_buf_add(module, r->call.data, r->call.size);
  tenon_buf_text(module, " : ");
  tenon_buf_add(module, r->types.data, r->types.size);
  tenon_buf_text(module, "\n  return ");
  tenon_buf_add(module, r->names.data, r->names.size);
  tenon_buf_text(module, "\n}\n");
}

bool case_read(tenon_arena *arena, const char *line, test_case *out,
               const char **error) {
  reader r = {.arena = arena, .p = line, .c = out};
  tenon_buf module, *const all[] = {&r.inputs, &r.constants, &r.call,
                                    &r.types,  &r.names,     &module};
  for (size_t i = 0; i < 6; ++i)
    tenon_buf_init(all[i], tenon_heap());
  memset(out, 0, sizeof *out);
  out->source = line;
  blanks(&r);
  size_t n = strcspn(r.p, " (");
  tenon_buf_add(&r.call, r.p, n);
  r.p += n;
  bool ok = read_operands(&r) && read_attributes(&r) && read_results(&r) &&
            read_tolerance(&r);
  if (ok) finish(&r, &module);
  out->module = tenon_arena_text(arena, module.data, module.size);
  if (!out->module) ok = fail(&r, "no memory");
  for (size_t i = 0; i < 6; ++i)
    tenon_buf_deinit(all[i]);
  *error = r.error;
  return ok;
}

// --- comparing ---------------------------------------------------------------

// Complex numbers are pairs of floats.
static size_t parts_of(tenon_dtype t) {
  return t == TENON_C64 ? 2 : 1;
}

static bool is_real(tenon_dtype t) {
  return t == TENON_C64 || t == TENON_F32 || t == TENON_F64 || t == TENON_F16 ||
         t == TENON_BF16;
}

static double load(const tenon_tensor *t, const void *data, size_t i) {
  uint16_t half;
  float single;
  double real;
  if (t->dtype == TENON_F64) {
    memcpy(&real, (const char *)data + 8 * i, 8);
    return real;
  }
  if (t->dtype == TENON_F32 || t->dtype == TENON_C64) {
    memcpy(&single, (const char *)data + 4 * i, 4);
    return (double)single;
  }
  memcpy(&half, (const char *)data + 2 * i, 2);
  return (double)(t->dtype == TENON_F16 ? tenon_f32_of_f16(half)
                                        : tenon_f32_of_bf16(half));
}

bool case_is_nan(const tenon_tensor *t, const void *element) {
  return is_real(t->dtype) && (isnan(load(t, element, 0)) ||
                               isnan(load(t, element, parts_of(t->dtype) - 1)));
}

static int64_t load_integer(const tenon_tensor *t, const void *data, size_t i) {
  size_t size = case_bytes(t) / tenon_count(t);
  const tenon_dtype_info *info = tenon_dtype_look(t->dtype);
  uint64_t bits = 0;
  memcpy(&bits, (const char *)data + i * size, size);
  if (info->kind == 'i' && size < 8 && bits >> (8 * size - 1) & 1)
    bits |= ~UINT64_C(0) << (8 * size);
  return (int64_t)bits;
}

static bool near(const test_case *c, tenon_dtype t, double want, double got) {
  static const struct {
    tenon_dtype dtype;
    double rel, abs;
  } rows[] = {{TENON_F64, 1e-10, 1e-12},
              {TENON_F32, 1e-5, 1e-6},
              {TENON_C64, 1e-5, 1e-6},
              {TENON_F16, 2e-3, 1e-6},
              {TENON_BF16, 1.6e-2, 1e-6}};
  double rel = c->rel, abs = c->abs;
  for (size_t i = 0; rel < 0 && i < sizeof rows / sizeof *rows; ++i) {
    if (rows[i].dtype != t) continue;
    rel = rows[i].rel;
    abs = rows[i].abs;
  }
  if (isnan(want) || isnan(got)) return isnan(want) && isnan(got);
  if (isinf(want) || isinf(got)) return want == got;
  return fabs(want - got) <= abs + rel * fabs(want);
}

bool case_agrees(const test_case *c, size_t i, const void *got, char *detail,
                 size_t size) {
  const tenon_tensor *t = &c->out[i].view;
  for (size_t k = 0; k < tenon_count(t) * parts_of(t->dtype); ++k) {
    if (is_real(t->dtype)) {
      double want = load(t, t->data, k), found = load(t, got, k);
      if (near(c, t->dtype, want, found)) continue;
      snprintf(detail, size, "output %zu, element %zu: %.17g, expected %.17g",
               i, k, found, want);
      return false;
    }
    int64_t want = load_integer(t, t->data, k), found = load_integer(t, got, k);
    if (want == found || (c->is_close_ok && llabs(want - found) <= 1)) continue;
    snprintf(detail, size, "output %zu, element %zu: %lld, expected %lld", i, k,
             (long long)found, (long long)want);
    return false;
  }
  return true;
}
