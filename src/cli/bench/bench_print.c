// How: steps that ran, the slowest first, then the same summed by operator. A
// table for people names the node; with --json all steps stand in the order in
// which they ran.
#include <stdlib.h>
#include <string.h>

#include "cli/bench/bench.h"

static int by_order(const void *x, const void *y) {
  const bench_step *a = (const bench_step *)x, *b = (const bench_step *)y;
  return a->order < b->order ? -1 : a->order > b->order;
}

// Equal times: as they ran. What was computed together stays so.
static int bench_table_by_time(const void *x, const void *y) {
  const bench_step *a = (const bench_step *)x, *b = (const bench_step *)y;
  if (a->place != b->place) return a->place > b->place ? -1 : 1;
  return by_order(x, y);
}

// The steps that ran, in an order.
static bench_step *sorted(const bench_steps *s, size_t *n,
                          int (*compare)(const void *, const void *)) {
  bench_step *list = (bench_step *)calloc(s->count + 1, sizeof *list);
  *n = 0;
  for (size_t i = 0; list && i < s->count; ++i)
    if (s->data[i].op) list[(*n)++] = s->data[i];
  if (!list || !*n) return list;
  qsort(list, *n, sizeof *list, by_order);
  for (size_t i = 0; i < *n; ++i)
    list[i].place =
        list[i].joined || i == 0 ? list[i].least : list[i - 1].place;
  qsort(list, *n, sizeof *list, compare);
  return list;
}

static uint64_t total(const bench_step *list, size_t n) {
  uint64_t sum = 0;
  for (size_t i = 0; i < n; ++i)
    sum += list[i].least;
  return sum;
}

static double bench_table_share(uint64_t part, uint64_t whole) {
  return whole ? (double)part / (double)whole : 0;
}

// --- by operator ------------------------------------------------------------

typedef struct sum {
  const char *op;
  uint64_t least, macs;
  size_t steps;
} sum;

static int by_sum(const void *x, const void *y) {
  const sum *a = (const sum *)x, *b = (const sum *)y;
  if (a->least != b->least) return a->least > b->least ? -1 : 1;
  return strcmp(a->op, b->op);
}

static sum *sum_operators(const bench_step *list, size_t n, size_t *count) {
  sum *sums = (sum *)calloc(n + 1, sizeof *sums);
  *count = 0;
  for (size_t i = 0; sums && i < n; ++i) {
    size_t k = 0;
    while (k < *count && strcmp(sums[k].op, list[i].op) != 0)
      ++k;
    if (k == *count) sums[(*count)++].op = list[i].op;
    sums[k].least += list[i].least;
    sums[k].macs += list[i].macs;
    ++sums[k].steps;
  }
  if (sums && *count) qsort(sums, *count, sizeof *sums, by_sum);
  return sums;
}

// --- for people -------------------------------------------------------------

// GMAC/s, or nothing where there are no multiply-accumulates.
static const char *rate(char text[32], uint64_t macs, uint64_t ns) {
  text[0] = 0;
  if (macs && ns) snprintf(text, 32, "%.2f", (double)macs / (double)ns);
  return text;
}

// What a reader knows the step by: the place in the file, and the value it
// makes unless that says it already. Long ones are cut.
static void bench_table_print_node(cli *c, const bench_step *s) {
  bool has_where = s->where[0] != 0;
  bool says_it = has_where && s->node[0] && strstr(s->where, s->node);
  char where[61], node[49];
  (void)tenon_text_show(where, sizeof where, s->where);
  (void)tenon_text_show(node, sizeof node, s->node);
  if (has_where) cli_printf(c, "%s", where);
  if (!says_it && s->node[0]) cli_printf(c, "%s%s", has_where ? " " : "", node);
}

static void bench_table_print_text(cli *c, const bench_step *list, size_t n,
                                   const sum *sums, size_t n_sums) {
  char text[32];
  uint64_t whole = total(list, n);
  cli_printf(c, "\n%10s %6s %14s %8s %6s  %s\n", "us", "share", "MACs",
             "GMAC/s", "steps", "operator");
  for (size_t i = 0; i < n_sums; ++i)
    cli_printf(
        c, "%10.2f %5.1f%% %14llu %8s %6zu  %s\n", (double)sums[i].least / 1e3,
        bench_table_share(sums[i].least, whole) * 100,
        (unsigned long long)sums[i].macs,
        rate(text, sums[i].macs, sums[i].least), sums[i].steps, sums[i].op);
  cli_printf(c, "\n%10s %6s %14s %8s  %-22s %-32s %s\n", "us", "share", "MACs",
             "GMAC/s", "operator", "kernel", "node");
  for (size_t i = 0; i < n; ++i) {
    if (list[i].joined)
      cli_printf(c, "%10.2f %5.1f%% %14llu %8s", (double)list[i].least / 1e3,
                 bench_table_share(list[i].least, whole) * 100,
                 (unsigned long long)list[i].macs,
                 rate(text, list[i].macs, list[i].least));
    else
      cli_printf(c, "%10s %6s %14s %8s", "with it", "", "", "");
    cli_printf(c, "  %-22s %-32s ", list[i].op,
               list[i].kernel[0] ? list[i].kernel : "-");
    bench_table_print_node(c, &list[i]);
    cli_printf(c, "\n");
  }
}

// --- JSON -------------------------------------------------------------------

static void print_json_step(cli *c, const bench_step *s, uint64_t whole,
                            bool first) {
  cli_put_json(c,
               "$\n    {'op': $, 'kernel': $, 'node': $, 'place': $, "
               "'microseconds': $, 'share': $, 'macs': $, 'joined': $}",
               tenon_as_plain(first ? "" : ","), s->op, s->kernel, s->node,
               s->where, cli_as_us(s->least),
               cli_as_share(bench_table_share(s->least, whole)), s->macs,
               s->joined);
}

static void bench_table_print_json(cli *c, const bench_step *list, size_t n,
                                   const sum *sums, size_t n_sums) {
  uint64_t whole = total(list, n);
  cli_printf(c, "  \"steps\": [");
  for (size_t i = 0; i < n; ++i)
    print_json_step(c, &list[i], whole, i == 0);
  cli_printf(c, "],\n  \"operators\": [");
  for (size_t i = 0; i < n_sums; ++i)
    cli_put_json(c,
                 "$\n    {'op': $, 'steps': $, 'microseconds': $, 'share': $, "
                 "'macs': $}",
                 tenon_as_plain(i ? "," : ""), sums[i].op, sums[i].steps,
                 cli_as_us(sums[i].least),
                 cli_as_share(bench_table_share(sums[i].least, whole)),
                 sums[i].macs);
  cli_printf(c, "]");
}

int bench_print_steps(cli *c, const bench_steps *s) {
  size_t n = 0, n_sums = 0;
  bench_step *list = sorted(s, &n, c->json ? by_order : bench_table_by_time);
  sum *sums = list ? sum_operators(list, n, &n_sums) : NULL;
  int code = sums ? 0 : CLI_NO_MEMORY;
  if (sums && c->json) bench_table_print_json(c, list, n, sums, n_sums);
  if (sums && !c->json) bench_table_print_text(c, list, n, sums, n_sums);
  free(sums);
  free(list);
  return code;
}
