// How: the failing row as text IR, what differs, and a command line that shows
// it, with the operands as values. Ways of this process are `tenon run` with
// flags; those of emitted C are `tenon check --case`, which builds it again.
#include <stdlib.h>
#include <string.h>

#include "cli/check/check.h"

enum { MOST_SHOWN = 256 };

static bool can_write(tenon_dtype t) {
  return (t >= TENON_F32 && t <= TENON_U64) && tenon_element_bytes(t) > 0;
}

// " --input 'x0=[1, 2]'".
static void again_add_input(const check_row *row, size_t i, tenon_dtype dtype,
                            tenon_buf *out) {
  const check_value *v = &row->in[i];
  cli_tensor t = {0};
  int64_t dims[CHECK_RANK];
  size_t size = 0;
  for (int d = 0; d < v->rank; ++d)
    dims[d] = v->dims[d];
  unsigned char *bytes = check_row_bytes(row, i, &size);
  bool ok =
      bytes && cli_tensor_make(&t, dtype, dims, v->rank) && size == t.size;
  if (ok && size) memcpy(t.memory, bytes, size);
  tenon_put(out, " --input 'x$=", i);
  if (ok)
    cli_literal_format(&t.view, out);
  else
    out->failed = true;
  tenon_buf_char(out, '\'');
  free(bytes);
  cli_tensor_free(&t);
}

static bool can_write_all(const check_row *row) {
  for (size_t i = 0; i < row->n_in; ++i) {
    size_t n = 1;
    if (!check_row_is_input(row, i)) continue;
    for (int d = 0; d < row->in[i].rank; ++d)
      n *= (size_t)row->in[i].dims[d];
    if (!can_write(check_row_dtype(row, i)) || n > MOST_SHOWN) return false;
  }
  return true;
}

static void again_add_flags(const check_subject *s, check_way way,
                            tenon_buf *out) {
  const char *op = s->op->op.name;
  if (way == CHECK_LOWERED) {
    tenon_put(out, " --reference --pass 'functional,lower[all=$],inline'", op);
  } else if (way == CHECK_REFERENCE) {
    tenon_buf_text(out, " --reference");
  } else if (way != CHECK_DEFAULT) {
    tenon_buf_text(out, " --pass " CHECK_PIPELINE);
    if (s->kernel) tenon_put(out, " --kernel $=$", op, s->kernel->name);
    if (way == CHECK_THREADS) tenon_buf_text(out, " --threads 3");
  }
}

// The command line that shows the failure; nothing where none can.
static void add_again(const checker *k, const check_subject *s,
                      const check_row *row, check_way way, tenon_buf *out) {
  const cli *c = k->c;
  bool is_batch = way >= CHECK_EMITTED;
  if (row->given || !can_write_all(row)) return;
  if (is_batch)
    tenon_put(out, "tenon check $ --runs 1 --case row.tenon", k->plugin);
  else
    tenon_buf_text(out, "tenon run row.tenon");
  if (is_batch && k->features) tenon_put(out, " --target $", c->emulated);
  // The plugin under test is the last of the list, unless it is a set of ours.
  for (size_t i = 0; i < c->plugins.count; ++i)
    if (!is_batch || strcmp(c->plugins.data[i], k->plugin) != 0)
      tenon_put(out, " --plugin $", c->plugins.data[i]);
  for (size_t i = 0; i < c->overrides.count; ++i)
    tenon_put(out, " --allow-override $", c->overrides.data[i]);
  if (!is_batch) again_add_flags(s, way, out);
  for (size_t i = 0; i < row->n_in; ++i)
    if (check_row_is_input(row, i))
      again_add_input(row, i, check_row_dtype(row, i), out);
}

void check_failure_keep(checker *k, const check_subject *s,
                        const check_row *row, check_way way, const char *detail,
                        check_tally *t) {
  tenon_buf text = {0}, again = {0};
  check_form form = way == CHECK_IN_PLACE      ? CHECK_DYING
                    : way == CHECK_ELEMENTWISE ? CHECK_TURNED
                                               : CHECK_PLAIN;
  bool ok = check_row_text(row, form, &text);
  tenon_buf_text(&text, detail);
  add_again(k, s, row, way, &again);
  if (ok && !text.failed && !again.failed) {
    t->failure = text.data;
    t->again = again.data;
  } else {
    tenon_buf_deinit(&text);
    tenon_buf_deinit(&again);
  }
}
