// How: what the steps of two ways made is matched by the place of their node in
// the model; the first pair that differs is named.
#include <stdlib.h>
#include <string.h>

#include "cli/verify/verifying.h"

#define MAX_WAYS 8

static void print_saved(cli *c, size_t i, const char *file, const char *key) {
  if (c->json)
    cli_put_json(c, "$\n    {'file': $, 'node': $}",
                 tenon_as_plain(i ? "," : ""), file, key);
  else
    cli_printf(c, "  %s  %s\n", file, cli_shown(c, key));
}

static int save_values(cli *c, const verify_values *k) {
  int code = cli_make_folder(c, c->save_values) ? 0 : TENON_IO;
  if (code == 0 && c->json) cli_printf(c, ",\n  \"values\": [");
  for (size_t i = 0; code == 0 && i < k->count; ++i) {
    char name[64];
    snprintf(name, sizeof name, "value%04zu.npy", i);
    char *path = cli_join(c->save_values, name);
    if (!path || !cli_npy_write(c, path, &k->data[i]->value.view))
      code = TENON_IO;
    free(path);
    if (code == 0) print_saved(c, i, name, k->data[i]->key);
  }
  if (c->json) cli_printf(c, "]");
  return code;
}

static const verify_value *node_diff_find(const verify_values *k,
                                          const char *key) {
  for (size_t i = 0; i < k->count; ++i)
    if (strcmp(k->data[i]->key, key) == 0) return k->data[i];
  return NULL;
}

typedef struct parting {
  const verify_value *a, *b;  // null: none
  verify_difference d;
  size_t shared;  // nodes of both ways, up to the parting one
} parting;

static parting find_parting(const verify_suite *s, const verify_values *first,
                            const verify_values *other) {
  parting p = {0};
  for (size_t i = 0; i < other->count; ++i) {
    const verify_value *b = other->data[i];
    const verify_value *a = node_diff_find(first, b->key);
    if (!a) continue;
    ++p.shared;
    verify_tolerance t = verify_tolerance_for(s, SIZE_MAX, b->value.view.dtype);
    t.is_exact = verify_ways_are_exact(first->way, other->way);
    verify_compare(&a->value.view, &b->value.view, &t, &p.d);
    if (p.d.agrees) continue;
    p.a = a;
    p.b = b;
    break;
  }
  return p;
}

static void node_diff_print_text(cli *c, const char *label, const char *first,
                                 const char *other, const parting *p) {
  if (!p->a) {
    cli_printf(c, "%s: %s and %s agree at all %zu nodes they share\n",
               cli_shown(c, label), first, other, p->shared);
    return;
  }
  cli_printf(c,
             "%s: first node where %s and %s part: %s\n  %s against %s: %.9g "
             "expected, %.9g found at element %zu; %zu of %zu differ\n",
             cli_shown(c, label), first, other, cli_shown(c, p->b->key),
             p->b->kernel, p->a->kernel, p->d.want, p->d.got, p->d.worst,
             p->d.differing, p->d.count);
}

static void node_diff_print_json(cli *c, const verify_case *v,
                                 const char *first, const char *other,
                                 const parting *p, bool is_first) {
  cli_put_json(
      c, "$\n    {'way': $, 'against': $, 'shared': $, 'case': $, 'first': ",
      tenon_as_plain(is_first ? "" : ","), other, first, p->shared, v->path);
  if (p->a)
    cli_put_json(c,
                 "{'node': $, 'kernel': $, 'against': $, 'want': $, 'got': $, "
                 "'worst': $, 'differing': $, 'count': $}}",
                 p->b->key, p->b->kernel, p->a->kernel, p->d.want, p->d.got,
                 p->d.worst, p->d.differing, p->d.count);
  else
    cli_printf(c, "null}");
}

static void node_diff_compare(verify_suite *s, size_t index,
                              const verify_values *values, size_t n) {
  cli *c = s->c;
  if (c->json) cli_printf(c, ",\n  \"nodes\": [");
  for (size_t i = 1; i < n; ++i) {
    parting p = find_parting(s, &values[0], &values[i]);
    if (c->json)
      node_diff_print_json(c, &s->cases[index], values[0].way, values[i].way,
                           &p, i == 1);
    else
      node_diff_print_text(c, s->cases[index].label, values[0].way,
                           values[i].way, &p);
  }
  if (c->json) cli_printf(c, "]");
}

int verify_nodes(verify_suite *s, cli_model *model, const char *const *ways,
                 size_t n, size_t index) {
  verify_values values[MAX_WAYS + 1];
  const char *names[MAX_WAYS + 1];
  int code = 0;
  memset(values, 0, sizeof values);
  for (size_t i = 0; i < n; ++i)
    names[i] = ways[i];
  if (n == 1)
    names[n++] = verify_way_is(ways[0], "reference") ? "run" : "reference";
  if (!s->c->nodes) n = 1;
  for (size_t i = 0; code == 0 && i < n; ++i)
    code = verify_values_read(s, model, index, names[i], &values[i]);
  if (code == 0 && s->c->save_values) code = save_values(s->c, &values[0]);
  if (code == 0 && s->c->nodes) node_diff_compare(s, index, values, n);
  for (size_t i = 0; i < n; ++i)
    verify_values_free(&values[i]);
  return code;
}
