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

// " --input 'x0=[1, 2]'"; nothing where a value cannot be written that way.
static bool again_add_input(const check_row *row, size_t i, tenon_dtype dtype,
                            cli_bytes *out) {
  const check_value *v = &row->in[i];
  cli_tensor t;
  int64_t dims[CHECK_RANK];
  size_t size = 0;
  for (int d = 0; d < v->rank; ++d)
    dims[d] = v->dims[d];
  if (!cli_tensor_make(&t, dtype, dims, v->rank)) return false;
  unsigned char *bytes = check_row_bytes(row, i, &size);
  bool ok = bytes && size == t.size;
  if (ok && size) memcpy(t.memory, bytes, size);
  ok = ok && cli_bytes_format(out, " --input 'x%zu=", i) &&
       cli_literal_format(&t.view, out) && cli_bytes_add(out, "'", 1);
  free(bytes);
  cli_tensor_free(&t);
  return ok;
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

static bool again_add_flags(const check_subject *s, check_way way,
                            cli_bytes *out) {
  const char *op = s->op->op.name;
  bool ok = true;
  if (way == CHECK_LOWERED)
    return cli_bytes_format(out,
                            " --reference --pass 'functional,lower[all=%s],"
                            "inline'",
                            op);
  if (way == CHECK_DEFAULT) return true;
  if (way == CHECK_REFERENCE) return cli_bytes_format(out, " --reference");
  ok = cli_bytes_format(out, " --pass " CHECK_PIPELINE);
  if (ok && s->kernel)
    ok = cli_bytes_format(out, " --kernel %s=%s", op, s->kernel->name);
  if (ok && way == CHECK_THREADS) ok = cli_bytes_format(out, " --threads 3");
  return ok;
}

bool check_again(checker *k, const check_subject *s, const check_row *row,
                 check_way way, cli_bytes *out) {
  const cli *c = k->c;
  bool is_batch = way >= CHECK_EMITTED, ok = true;
  if (row->given || !can_write_all(row)) return true;
  ok = is_batch
           ? cli_bytes_format(out, "tenon check %s --runs 1 --case row.tenon",
                              k->plugin)
           : cli_bytes_format(out, "tenon run row.tenon");
  if (ok && is_batch && k->features)
    ok = cli_bytes_format(out, " --target %s", c->emulated);
  // The plugin under test is the last of the list, unless it is a set of ours.
  for (size_t i = 0; ok && i < c->plugins.count; ++i)
    if (!is_batch || strcmp(c->plugins.data[i], k->plugin) != 0)
      ok = cli_bytes_format(out, " --plugin %s", c->plugins.data[i]);
  for (size_t i = 0; ok && i < c->overrides.count; ++i)
    ok = cli_bytes_format(out, " --allow-override %s", c->overrides.data[i]);
  if (ok && !is_batch) ok = again_add_flags(s, way, out);
  for (size_t i = 0; ok && i < row->n_in; ++i)
    if (check_row_is_input(row, i))
      ok = again_add_input(row, i, check_row_dtype(row, i), out);
  return ok;
}

void check_failure_keep(checker *k, const check_subject *s,
                        const check_row *row, check_way way, const char *detail,
                        check_tally *t) {
  cli_bytes text = {0}, again = {0};
  check_form form = way == CHECK_IN_PLACE      ? CHECK_DYING
                    : way == CHECK_ELEMENTWISE ? CHECK_TURNED
                                               : CHECK_PLAIN;
  bool ok = check_row_text(row, form, &text) &&
            cli_bytes_format(&text, "%s", detail) &&
            check_again(k, s, row, way, &again);
  if (ok)
    t->failure = text.data;
  else
    cli_bytes_free(&text);
  if (ok)
    t->again = again.data;
  else
    cli_bytes_free(&again);
}
