// How: options are texts; remarks are lines kept with the module until it is
// planned.
#include "pass/trade/trade.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

tenon_status tenon_trade_number(const tenon_module *m, const char *pass,
                                const tenon_pass_run *run, const char *key,
                                int64_t absent, int64_t *out) {
  char text[32], *end = text;
  *out = absent;
  if (!tenon_pass_option(run, key, text, sizeof text)) return TENON_OK;
  long long value = strtoll(text, &end, 10);
  char letter = *end == 'K' || *end == 'm' ? (char)(*end ^ 32) : *end;
  long long unit = letter == 'k' ? 1024 : letter == 'M' ? 1024 * 1024 : 1;
  if (unit > 1) ++end;
  if (end == text || *end || value < 0 || value > INT64_MAX / (1024 * 1024))
    return tenon_fail(&m->report, TENON_BAD_ARGUMENT, "pass-option", NULL,
                      "pass '%s': %s=%s; expected a number from 0 on, with k "
                      "or M behind it for 1024 or 1024 * 1024",
                      pass, key, text);
  *out = (int64_t)(value * unit);
  return TENON_OK;
}

tenon_node **tenon_trade_nodes(tenon_arena *arena, const tenon_graph *g,
                               uint32_t *n) {
  *n = 0;
  for (const tenon_node *node = g->first; node; node = node->next)
    ++*n;
  tenon_node **nodes = tenon_arena_array(arena, tenon_node *, *n + 1u);
  if (!nodes) return NULL;
  uint32_t at = 0;
  for (tenon_node *node = g->first; node; node = node->next)
    nodes[at++] = node;
  return nodes;
}

static tenon_status trade_put_line(tenon_module *m, const char *line) {
  tenon_buf text;
  tenon_buf_init(&text, m->cx->allocator);
  tenon_buf_format(&text, "%s%s\n", m->remarks ? m->remarks : "", line);
  m->remarks = text.failed ? NULL : tenon_arena_string(&m->arena, text.data);
  tenon_buf_deinit(&text);
  return m->remarks ? TENON_OK
                    : tenon_fail_memory(&m->report, "noting what was traded");
}

tenon_status tenon_trade_line(tenon_module *m, const char *fmt, ...) {
  va_list args;
  char line[TENON_MESSAGE_SIZE];
  va_start(args, fmt);
  (void)vsnprintf(line, sizeof line, fmt, args);
  va_end(args);
  return trade_put_line(m, line);
}

tenon_status tenon_trade_remark(tenon_module *m, const char *fmt, ...) {
  va_list args;
  char line[TENON_MESSAGE_SIZE];
  va_start(args, fmt);
  (void)vsnprintf(line, sizeof line, fmt, args);
  va_end(args);
  tenon_note(&m->report, "pass-trade", NULL, "%s", line);
  return trade_put_line(m, line);
}

static const char *trade_place(const tenon_node *n) {
  const tenon_place *p = tenon_node_place(n);
  return p && p->where ? p->where : n->op->name;
}

void tenon_trade_where(const tenon_node *first, const tenon_node *last,
                       char out[TENON_TRADE_WHERE]) {
  (void)snprintf(out, TENON_TRADE_WHERE, "%.80s to %.80s", trade_place(first),
                 trade_place(last));
}

const char *tenon_trade_percent(uint64_t before, uint64_t after,
                                tenon_percent *out) {
  bool is_less = after < before;
  uint64_t change = is_less ? before - after : after - before;
  while (change > UINT64_MAX / 2000 || before > UINT64_MAX / 2000) {
    change /= 2;
    before /= 2;
  }
  uint64_t tenths = before ? (change * 2000 / before + 1) / 2 : 0;
  (void)snprintf(out->text, sizeof out->text, "%s%" PRIu64 ".%" PRIu64 " %%",
                 is_less ? "-" : "+", tenths / 10, tenths % 10);
  return out->text;
}
