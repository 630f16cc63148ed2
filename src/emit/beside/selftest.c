// How: the recorded arrays, streamed as the constants are, then a fixed text
// that compares, and a main that runs the vectors in turn on one instance. The
// outputs are looked at where they lie, so that a small machine needs no second
// copy; all printing goes through one macro, so that it needs no stdio either.
#include "base/heap.h"
#include "core/dtype.h"
#include "emit/emission.h"

// --- checking what was recorded ---------------------------------------------

static tenon_status selftest_fail(const tenon_emission *e, size_t vector,
                                  const char *name, const char *what) {
  return tenon_fail(e->report, TENON_BAD_ARGUMENT, "emit-vectors", NULL,
                    "vector %zu, '%s': %s", vector, name, what);
}

static tenon_status selftest_check_list(const tenon_emission *e, size_t vector,
                                        const tenon_tensor *list,
                                        const tenon_io *io, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    const tenon_tensor *t = &list[i];
    bool same = t->dtype == io[i].dtype && t->rank == io[i].rank;
    for (int d = 0; same && d < t->rank; ++d)
      same = io[i].dims[d] < 0 || t->dims[d] == io[i].dims[d];
    if (!same)
      return selftest_fail(e, vector, io[i].name,
                           "element type or shape differ");
    if (t->strides)
      return selftest_fail(e, vector, io[i].name, "it has strides");
    if (!t->data && t->dtype && tenon_count(t) > 0)
      return selftest_fail(e, vector, io[i].name, "it has no data");
  }
  return TENON_OK;
}

tenon_status tenon_emit_check_vectors(const tenon_emission *e) {
  if (e->options.n_vectors > 0 && !e->options.vectors)
    return selftest_fail(e, 0, "", "the list is null");
  for (size_t i = 0; i < e->options.n_vectors; ++i) {
    const tenon_vectors *v = &e->options.vectors[i];
    if (v->entry < 0 || (uint32_t)v->entry >= e->p->n_entries)
      return selftest_fail(e, i, "", "there is no such entry point");
    const tenon_program_entry *p = &e->p->entries[v->entry];
    if (v->n_in != p->n_in || v->n_out != p->n_out)
      return selftest_fail(e, i, p->name,
                           "another number of inputs or outputs");
    TENON_TRY(selftest_check_list(e, i, v->in, p->inputs, v->n_in));
    TENON_TRY(selftest_check_list(e, i, v->out, p->outputs, v->n_out));
  }
  return TENON_OK;
}

// --- arrays -----------------------------------------------------------------

static uint64_t selftest_bytes_of(const tenon_tensor *t) {
  size_t size = 0;
  if (t->dtype == 0 || !t->data) return 0;
  return tenon_dtype_size(t->dtype, tenon_count(t), &size) ? size : 0;
}

static void put_arrays(const tenon_emission *e, tenon_sink *s, size_t vector,
                       const tenon_tensor *list, size_t n, bool is_out) {
  for (size_t i = 0; i < n; ++i) {
    uint64_t size = selftest_bytes_of(&list[i]);
    if (size == 0) continue;
    const char *type = tenon_sink_array_type(list[i].dtype, list[i].data, size);
    tenon_sink_put(e, s, "static const $ @_vector$$$[$] = {", type, vector,
                   is_out ? "_out" : "_in", i,
                   tenon_sink_array_count(type, size));
    tenon_sink_array(s, list[i].dtype, list[i].data, size);
    tenon_sink_text(s, "};\n\n");
  }
}

// --- the program ------------------------------------------------------------

static const char head_text[] =
    "// @_test.c - runs recorded inputs and compares with recorded outputs.\n"
    "//\n"
    "// ^_PUTS(text) prints, to standard output by default; ^_TEST_MAIN is "
    "what the\n"
    "// function is called, `main` by default. With ^_HOOKS it says how many "
    "cycles each\n"
    "// step took, of all vectors, where the core has a counter or ^_CYCLES() "
    "reads one.\n";

static const char include_text[] =
    "#include <math.h>\n"
    "#include <string.h>\n"
    "#ifndef ^_PUTS\n"
    "#include <stdio.h>\n"
    "#define ^_PUTS(text) (void)fputs(text, stdout)\n"
    "#endif\n"
    "#ifndef ^_TEST_MAIN\n"
    "#define ^_TEST_MAIN main\n"
    "#endif\n"
    "\n";

static const char put_text[] =
    "// A number that is not negative, in four digits or a few more.\n"
    "static void @_put(double x) {\n"
    "  char text[48];\n"
    "  size_t at = sizeof text - 1;\n"
    "  int exponent = 0, point = 0, n;\n"
    "  unsigned long whole;\n"
    "  if (!(x < 1e300)) {\n"
    "    ^_PUTS(x != x ? \"nan\" : \"inf\");\n"
    "    return;\n"
    "  }\n"
    "  text[at] = 0;\n"
    "  for (; x >= 1e9; x /= 10) ++exponent;\n"
    "  for (; x > 0 && x < 1; x *= 10) --exponent;\n"
    "  for (; x < 1e3 && x > (double)(unsigned long)x; x *= 10) ++point;\n"
    "  whole = (unsigned long)(x + 0.5);\n"
    "  if (exponent != 0) {\n"
    "    for (n = exponent < 0 ? -exponent : exponent; n > 0; n /= 10)\n"
    "      text[--at] = (char)('0' + n % 10);\n"
    "    text[--at] = exponent < 0 ? '-' : '+';\n"
    "    text[--at] = 'e';\n"
    "  }\n"
    "  do {\n"
    "    text[--at] = (char)('0' + whole % 10);\n"
    "    whole /= 10;\n"
    "    if (--point == 0) text[--at] = '.';\n"
    "  } while (whole > 0 || point >= 0);\n"
    "  ^_PUTS(text + at);\n"
    "}\n"
    "\n";

static const char number_text[] =
    "static double @_half(unsigned bits) {\n"
    "  int exponent = (int)(bits >> 10 & 31u);\n"
    "  double x = (double)(bits & 1023u);\n"
    "  if (exponent == 31) {\n"
    "    x = x > 0 ? (double)NAN : (double)INFINITY;\n"
    "  } else {\n"
    "    if (exponent > 0) x += 1024;\n"
    "    else exponent = 1;\n"
    "    for (; exponent < 25; ++exponent) x /= 2;\n"
    "    for (; exponent > 25; --exponent) x *= 2;\n"
    "  }\n"
    "  return bits >> 15 ? -x : x;\n"
    "}\n"
    "\n"
    "static double @_brain(unsigned bits) {\n"
    "  uint32_t wide = (uint32_t)bits << 16;\n"
    "  float x;\n"
    "  (void)memcpy(&x, &wide, sizeof x);\n"
    "  return (double)x;\n"
    "}\n"
    "\n"
    "// An element by kind (f float, h and b floats of 16 bits, i and u "
    "integers) and\n"
    "// width in bytes.\n"
    "static double @_number(char kind, size_t width, const void *p) {\n"
    "  if (kind == 'f' && width == 4) return (double)*(const float *)p;\n"
    "  if (kind == 'f') return *(const double *)p;\n"
    "  if (kind == 'h') return @_half(*(const uint16_t *)p);\n"
    "  if (kind == 'b') return @_brain(*(const uint16_t *)p);\n"
    "  if (kind == 'i' && width == 1) return *(const int8_t *)p;\n"
    "  if (kind == 'i' && width == 2) return *(const int16_t *)p;\n"
    "  if (kind == 'i' && width == 4) return *(const int32_t *)p;\n"
    "  if (kind == 'i') return (double)*(const int64_t *)p;\n"
    "  if (width == 1) return *(const uint8_t *)p;\n"
    "  if (width == 2) return *(const uint16_t *)p;\n"
    "  if (width == 4) return *(const uint32_t *)p;\n"
    "  return (double)*(const uint64_t *)p;\n"
    "}\n"
    "\n";

static const char check_text[] =
    "// Integers agree when they are equal; floats within absolute + relative "
    "* |want|.\n"
    "static int @_check(const char *name, char kind, size_t width,\n"
    "                   const void *got, const void *want, size_t count,\n"
    "                   double absolute, double relative) {\n"
    "  double most = 0;\n"
    "  size_t outside = 0, i;\n"
    "  int is_float = kind != 'i' && kind != 'u';\n"
    "  for (i = 0; i < count; ++i) {\n"
    "    const char *p = (const char *)got + i * width;\n"
    "    const char *q = (const char *)want + i * width;\n"
    "    double x, y, apart;\n"
    "    if (memcmp(p, q, width) == 0) continue;\n"
    "    x = @_number(kind, width, (const void *)p);\n"
    "    y = @_number(kind, width, (const void *)q);\n"
    "    if (x != x && y != y) continue;\n"
    "    apart = x > y ? x - y : y - x;\n"
    "    if (apart != apart || apart > most) most = apart;\n"
    "    if (!is_float || !(apart < (double)INFINITY) ||\n"
    "        !(apart <= absolute + relative * (y < 0 ? -y : y)))\n"
    "      ++outside;\n"
    "  }\n"
    "  ^_PUTS(name);\n"
    "  ^_PUTS(\": largest difference \");\n"
    "  @_put(most);\n"
    "  ^_PUTS(outside ? \", FAILED: \" : \", \");\n"
    "  @_put((double)outside);\n"
    "  ^_PUTS(\" of \");\n"
    "  @_put((double)count);\n"
    "  ^_PUTS(\" outside\\n\");\n"
    "  return outside != 0;\n"
    "}\n"
    "\n";

// 'f', 'h', 'b', 'i' or 'u'.
static char selftest_kind_of(tenon_dtype dtype) {
  const tenon_dtype_info *info = tenon_dtype_look(dtype);
  if (dtype == TENON_F16) return 'h';
  if (dtype == TENON_BF16) return 'b';
  if (!info || info->bits < 8) return 'u';
  if (info->kind == 'c' || (info->kind == 'f' && info->bits >= 32)) return 'f';
  return info->kind == 'i' ? 'i' : 'u';
}

static void put_check(const tenon_emission *e, tenon_buf *out, size_t vector,
                      size_t i) {
  const tenon_vectors *v = &e->options.vectors[vector];
  const tenon_io_names *names = &e->entries[v->entry].out[i];
  const char *type = tenon_c_type(v->out[i].dtype);
  uint64_t size = selftest_bytes_of(&v->out[i]);
  if (size == 0) return;
  tenon_emit_put(e, out, "  if (@_check(\"vector $, $", vector,
                 names->parameter);
  tenon_buf_format(out, "\", '%c', sizeof(%s), ",
                   selftest_kind_of(v->out[i].dtype), type);
  tenon_emit_io_data(e, out, (uint32_t)v->entry, (uint32_t)i, true);
  tenon_emit_put(e, out, ",\n             @_vector$_out$, $, ", vector, i,
                 tenon_sink_array_count(type, size));
  tenon_c_double(out, v->abs);
  tenon_buf_text(out, ", ");
  tenon_c_double(out, v->rel);
  tenon_buf_text(out, "))\n    failed = 1;\n");
}

static bool is_moved(const tenon_emission *e, const tenon_vectors *v,
                     size_t i) {
  return (e->p->entries[v->entry].inputs[i].flags &
          (TENON_IO_WRITTEN | TENON_IO_CALLER)) != 0;
}

// What the run would write is not the recorded array, and what it reads where
// it lies has bytes behind it: these are copied.
static void put_moved(const tenon_emission *e, tenon_buf *out, size_t vector) {
  const tenon_vectors *v = &e->options.vectors[vector];
  for (size_t i = 0; i < v->n_in; ++i) {
    uint64_t size = selftest_bytes_of(&v->in[i]);
    if (size == 0 || !is_moved(e, v, i)) continue;
    tenon_buf_text(out, "  (void)memcpy(");
    tenon_emit_io_data(e, out, (uint32_t)v->entry, (uint32_t)i, false);
    tenon_emit_put(e, out, ", @_vector$_in$, $);\n", vector, i, size);
  }
}

// The sizes of the recorded inputs, as arguments.
static void selftest_put_sizes(const tenon_emission *e, tenon_buf *out,
                               const tenon_vectors *v) {
  const struct tenon_program *p = e->p;
  const tenon_entry_names *names = &e->entries[v->entry];
  size_t size = p->n_numbers * sizeof(tenon_known);
  if (names->n_sizes == 0) return;
  tenon_known *known =
      (tenon_known *)tenon_alloc(&e->allocator, size, _Alignof(tenon_known));
  if (!known) {
    out->failed = true;
    return;
  }
  tenon_numbers_clear(p, known);
  for (uint32_t round = 0; round < p->n_bindings; ++round) {
    for (uint32_t i = 0; i < p->n_bindings; ++i) {
      const tenon_program_binding *b = &p->bindings[i];
      uint32_t leaf = 0;
      if (b->entry == (uint32_t)v->entry)
        (void)tenon_numbers_solve(p, known, b->size,
                                  v->in[b->input].dims[b->dimension], &leaf);
    }
    (void)tenon_numbers_evaluate(p, known);
  }
  for (uint32_t i = 0; i < names->n_sizes; ++i) {
    tenon_put(out, ", $", tenon_as_c_int(known[names->sizes[i].number].min));
  }
  tenon_free(&e->allocator, known, size, _Alignof(tenon_known));
}

static void put_vector(const tenon_emission *e, tenon_buf *out, size_t vector) {
  const tenon_vectors *v = &e->options.vectors[vector];
  tenon_emit_put(e, out, "static int @_vector$", vector);
  tenon_buf_text(out, "(void) {\n  int failed = 0;\n  int status;\n");
  put_moved(e, out, vector);
  tenon_emit_put(e, out, "  status = $(&@_instance", e->entries[v->entry].run);
  selftest_put_sizes(e, out, v);
  for (size_t i = 0; i < v->n_in; ++i) {
    tenon_buf_text(out, ", ");
    if (selftest_bytes_of(&v->in[i]) && !is_moved(e, v, i)) {
      tenon_emit_put(e, out, "(const void *)@_vector$_in$", vector, i);
    } else {
      tenon_emit_io_argument(e, out, (uint32_t)v->entry, (uint32_t)i, false);
    }
  }
  for (size_t i = 0; i < v->n_out; ++i) {
    tenon_buf_text(out, ", ");
    tenon_emit_io_argument(e, out, (uint32_t)v->entry, (uint32_t)i, true);
  }
  tenon_emit_put(e, out,
                 ");\n"
                 "  if (status != 0) {\n"
                 "    ^_PUTS(\"vector $: FAILED: \");\n"
                 "    ^_PUTS(@_fault(&@_instance));\n"
                 "    ^_PUTS(\"\\n\");\n"
                 "    return 1;\n"
                 "  }\n",
                 vector);
  for (size_t i = 0; i < v->n_out; ++i)
    put_check(e, out, vector, i);
  tenon_buf_text(out, "  return failed;\n}\n\n");
}

static void put_main(const tenon_emission *e, tenon_buf *out) {
  tenon_emit_text(e, out,
                  "int ^_TEST_MAIN(void);\n"
                  "int ^_TEST_MAIN(void) {\n"
                  "  static int (*const vectors[])(void) = {");
  for (size_t i = 0; i < e->options.n_vectors; ++i) {
    tenon_emit_text(e, out, i ? ",\n      @_vector" : "\n      @_vector");
    tenon_c_uint(out, i);
  }
  tenon_emit_text(e, out,
                  "};\n"
                  "  const size_t count = sizeof vectors / sizeof *vectors;\n"
                  "  size_t failed = 0, i;\n");
  tenon_emit_instance_init(e, out,
                           "{\n"
                           "      ^_PUTS(@_fault(&@_instance));\n"
                           "      return 1;\n"
                           "    }\n");
  tenon_emit_text(e, out,
                  "#if defined(^_HOOKS) && ^_STEPS > 0\n"
                  "  @_count();\n"
                  "  @_set_hooks(&@_instance, @_before, @_behind, @_cycles);\n"
                  "#endif\n"
                  "  for (i = 0; i < count; ++i)\n"
                  "    if (vectors[i]()) ++failed;\n"
                  "#if defined(^_HOOKS) && ^_STEPS > 0\n"
                  "  @_put_cycles();\n"
                  "#endif\n"
                  "  @_put((double)(count - failed));\n"
                  "  ^_PUTS(\" passed, \");\n"
                  "  @_put((double)failed);\n"
                  "  ^_PUTS(\" failed\\n\");\n"
                  "  return failed != 0;\n"
                  "}\n");
}

static bool has_outputs(const tenon_emission *e) {
  for (size_t i = 0; i < e->options.n_vectors; ++i)
    for (size_t k = 0; k < e->options.vectors[i].n_out; ++k)
      if (selftest_bytes_of(&e->options.vectors[i].out[k])) return true;
  return false;
}

void tenon_emit_selftest(const tenon_emission *e, tenon_sink *s) {
  tenon_buf text;
  tenon_buf_init(&text, e->allocator);
  tenon_emit_opening(e, head_text, include_text, &text);
  tenon_sink_buf(s, &text);
  for (size_t i = 0; i < e->options.n_vectors; ++i) {
    const tenon_vectors *v = &e->options.vectors[i];
    put_arrays(e, s, i, v->in, v->n_in, false);
    put_arrays(e, s, i, v->out, v->n_out, true);
  }
  tenon_buf_clear(&text);
  tenon_emit_text(e, &text, put_text);
  tenon_emit_counter(e, &text);
  if (has_outputs(e)) {
    tenon_emit_text(e, &text, number_text);
    tenon_emit_text(e, &text, check_text);
  }
  for (size_t i = 0; i < e->options.n_vectors; ++i)
    put_vector(e, &text, i);
  put_main(e, &text);
  tenon_sink_buf(s, &text);
  tenon_buf_deinit(&text);
}
