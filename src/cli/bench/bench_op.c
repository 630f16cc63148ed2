// How: a row as `tenon check` draws them, with the shapes that the command line
// gives and defaults for attributes where the operator takes them; each kernel
// computes it in a program of its own, and so does the reference.
#include <stdlib.h>
#include <string.h>

#include "cli/bench/bench.h"
#include "cli/check/check.h"

#define MOST_TRIES 20000
#define TRIES_PER_TYPE 32

// "x=1x64x64x8" for the operand of that name, also of index `i`.
static const char *given_shape(const cli *c, const char *name, size_t i) {
  char index[24];
  size_t n = strlen(name);
  snprintf(index, sizeof index, "%zu=", i);
  for (size_t k = 0; k < c->shapes.count; ++k) {
    const char *text = c->shapes.data[k];
    if (strncmp(text, index, strlen(index)) == 0) return text + strlen(index);
    if (strncmp(text, name, n) == 0 && text[n] == '=') return text + n + 1;
  }
  return NULL;
}

static bool set_shape(check_value *v, const char *text) {
  v->rank = 0;
  while (*text && v->rank < CHECK_RANK) {
    char *end = NULL;
    long size = strtol(text, &end, 10);
    if (end == text || size < 1 || size > 1 << 24 || (*end && *end != 'x'))
      return false;
    v->dims[v->rank++] = (int)size;
    text = end + (*end == 'x');
  }
  if (v->axis >= v->rank) v->axis = v->rank ? v->rank - 1 : 0;
  return *text == 0;
}

// Operands without a shape agree with the others where they share sizes.
static void collect_sizes(checker *k) {
  for (size_t i = 0; i < k->c->shapes.count; ++i) {
    const char *text = strchr(k->c->shapes.data[i], '=');
    check_value v = {.rank = 0};
    if (!text || !set_shape(&v, text + 1)) continue;
    for (int d = 0; d < v.rank && k->n_sizes < 16; ++d)
      k->sizes[k->n_sizes++] = v.dims[d];
  }
}

// Puts what the command line says into a row; -1: it says nonsense.
static int apply_shapes(const cli *c, check_row *row) {
  const tenon_signature *s = row->op->signature;
  size_t at = 0, g = 0;
  for (size_t i = 0; i < s->n_args; ++i) {
    if (!(s->args[i].flags & TENON_ARGUMENT_TENSOR)) continue;
    const char *shape = given_shape(c, s->args[i].name, g);
    for (int j = 0; j < row->in_group[g]; ++j, ++at) {
      if (!shape) continue;
      row->in[at].is_absent = false;
      if (!set_shape(&row->in[at], shape)) return -1;
    }
    ++g;
  }
  return 0;
}

static void use_defaults(check_row *row) {
  const tenon_signature *s = row->op->signature;
  size_t at = 0;
  for (size_t i = 0; i < s->n_args; ++i) {
    if (s->args[i].flags & TENON_ARGUMENT_TENSOR) continue;
    if (s->args[i].standard) row->attrs[at][0] = 0;
    ++at;
  }
}

// 0: found; CLI_USAGE: reported; else the last refusal is in the sink.
static int find_row(checker *k, const check_subject *s, check_row *row) {
  cli *c = k->c;
  for (int i = 0; i < MOST_TRIES; ++i) {
    k->turn = (size_t)i / TRIES_PER_TYPE;
    if (!check_row_draw(k, s, row)) continue;
    if (apply_shapes(c, row) < 0) {
      c->sink->is_muted = false;
      return cli_fail(c, CLI_USAGE, "cli-value",
                      "'--shape' expects OPERAND=1x64x64x8");
    }
    if (i < MOST_TRIES * 9 / 10) use_defaults(row);
    if (check_row_accept(k, s, row, CHECK_REFERENCE)) return 0;
  }
  return TENON_UNSUPPORTED;
}

// The median time of one kernel, or of the reference (no kernel forced).
static int bench_op_measure(checker *k, const check_row *row,
                            const char *forced, uint64_t *median) {
  tenon_buf text = {0};
  cli_session s = {0};
  cli_tensor in[CHECK_VALUES];
  tenon_tensor views[CHECK_VALUES];
  bench_times times = {0};
  tenon_program *p = NULL;
  size_t n = 0;
  cli *c = k->c;
  if (!check_row_text(row, CHECK_PLAIN, &text)) return CLI_NO_MEMORY;
  check_mode mode = {.text = text.data,
                     .size = text.size,
                     .flags = forced ? 0u : TENON_COMPILE_REFERENCE,
                     .pipeline = CHECK_PIPELINE,
                     .forced = forced};
  int code = check_compile(k, &mode, &p);
  if (code == 0) code = check_inputs(k, row, p, 0, in, &n);
  for (size_t i = 0; i < n; ++i)
    views[i] = in[i].view;
  if (code == 0) code = cli_session_open(c, p, cli_threads(c), NULL, NULL, &s);
  cli_call call = {.c = c, .p = p, .n_in = n, .views = views};
  if (code == 0) call.n_out = tenon_program_io(p, 0, TENON_IO_OUTPUTS, NULL, 0);
  if (code == 0) code = bench_runs(s.session, &call, &times);
  *median = times.median;
  cli_session_close(&s);
  for (size_t i = 0; i < n; ++i)
    cli_tensor_free(&in[i]);
  bench_times_free(&times);
  tenon_program_destroy(p);
  tenon_buf_deinit(&text);
  return code;
}

static void bench_op_print_row(cli *c, const check_subject *s, uint64_t own,
                               uint64_t reference, const char *reason,
                               bool first) {
  const char *name = s->kernel ? s->kernel->name : "lowered";
  if (c->json)
    cli_put_json(c,
                 "$\n    {'kernel': $, 'median_us': $, 'reference_us': $, "
                 "'reason': $}",
                 tenon_as_plain(first ? "" : ","), name, cli_as_us(own),
                 cli_as_us(reference), reason ? reason : "");
  else if (reason)
    cli_printf(c, "%-36s not run: %s\n", name, reason);
  else
    cli_printf(c, "%-36s %10.2f us  reference %10.2f us  %6.2fx\n", name,
               (double)own / 1e3, (double)reference / 1e3,
               own ? (double)reference / (double)own : 0);
}

static int bench_kernel(checker *k, const ops_view *v,
                        const tenon_registered *kernel, bool first) {
  check_subject s = {.op = v, .kernel = kernel};
  char forced[512];
  check_row row;
  uint64_t own = 0, reference = 0;
  cli *c = k->c;
  c->sink->is_muted = true;
  int code = find_row(k, &s, &row);
  c->sink->is_muted = false;
  if (code == CLI_USAGE) return code;
  if (code) {
    snprintf(forced, sizeof forced,
             "no operands that it takes were found: %.400s", c->sink->muted);
    bench_op_print_row(c, &s, 0, 0, forced, first);
    return 0;
  }
  if (kernel)
    snprintf(forced, sizeof forced, "%s=%s", v->op.name, kernel->name);
  code = bench_op_measure(k, &row, kernel ? forced : NULL, &own);
  if (code == 0) code = bench_op_measure(k, &row, NULL, &reference);
  if (code == 0) bench_op_print_row(c, &s, own, reference, NULL, first);
  return code;
}

int bench_op(cli *c, tenon_context *cx, const tenon_registered *op) {
  ops_view v;
  checker k = {.c = c, .cx = cx};
  k.random.state = c->has_random ? (uint64_t)c->random : 1;
  collect_sizes(&k);
  int code = ops_view_open(cx, op, &v);
  if (code) return code;
  if (c->json) cli_printf(c, "{\"kernels\": [");
  for (size_t i = 0; code == 0 && i < v.n_kernels; ++i)
    code = bench_kernel(&k, &v, &v.kernels[i], i == 0);
  if (code == 0 && v.n_kernels == 0) code = bench_kernel(&k, &v, NULL, true);
  if (c->json) cli_printf(c, "]}");
  ops_view_close(&v);
  return code;
}
