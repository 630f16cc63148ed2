// How: a quick plan, without a word to the module's sink.
#include "api/explain_groups.h"

#include <string.h>

#include "base/put.h"
#include "plan/show/pictures.h"
#include "tenon/tenon.h"

static bool is_alike(const struct tenon_program *p, uint32_t a, uint32_t b) {
  const uint32_t n = p->steps[p->order[a]].joined;
  if (p->steps[p->order[b]].joined != n) return false;
  for (uint32_t i = 0; i < n; ++i)
    if (strcmp(p->steps[p->order[a + i]].op, p->steps[p->order[b + i]].op) != 0)
      return false;
  return true;
}

// How many are like the one at `at`; 0: it is not the first of them.
static uint32_t count_alike(const struct tenon_program *p, uint32_t at) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < p->n_order; ++i) {
    if (p->steps[p->order[i]].joined < 2 || !is_alike(p, at, i)) continue;
    if (i < at) return 0;
    ++count;
  }
  return count;
}

static void json_group(const struct tenon_program *p, uint32_t at,
                       tenon_buf *out) {
  const uint32_t n = p->steps[p->order[at]].joined;
  for (uint32_t i = 0; i < n; ++i) {
    const tenon_step *s = &p->steps[p->order[at + i]];
    tenon_put_json(out, "${'op': $, 'place': $}", tenon_as_plain(i ? ", " : ""),
                   s->op, s->place->where ? s->place->where : "");
  }
}

static void explain_put_groups(const struct tenon_program *p, tenon_buf *out,
                               bool is_json) {
  bool is_any = false;
  for (uint32_t i = 0; i < p->n_order; ++i) {
    if (p->steps[p->order[i]].joined < 2) continue;
    const uint32_t count = is_json ? 1 : count_alike(p, i);
    if (count == 0) continue;
    if (is_json) {
      tenon_buf_text(out, is_any ? ", {\"steps\": [" : "{\"steps\": [");
      json_group(p, i, out);
      tenon_buf_text(out, "]}");
    } else {
      if (!is_any) tenon_buf_text(out, "\ncomputed piece by piece\n");
      tenon_buf_format(out, "  %4u  ", count);
      tenon_plan_put_group(p, i, out);
      tenon_buf_char(out, '\n');
    }
    is_any = true;
  }
}

// Lines that pass `bands` left in the plan.
static void explain_put_bands(const struct tenon_program *p, tenon_buf *out) {
  static const char word[] = "bands ";
  bool is_any = false;
  for (const char *at = p->remarks, *end; at && *at; at = end + (*end != 0)) {
    end = at + strcspn(at, "\n");
    if (strncmp(at, word, sizeof word - 1) != 0) continue;
    at += sizeof word - 1;
    at += strspn(at, " ");
    tenon_buf_text(out, is_any ? "  " : "\ncomputed in bands\n  ");
    tenon_buf_add(out, at, (size_t)(end - at));
    tenon_buf_char(out, '\n');
    is_any = true;
  }
}

tenon_status tenon_explain_groups(tenon_module *m, uint32_t flags,
                                  tenon_buf *out, bool is_json) {
  const tenon_diag_sink sink = m->report.sink;
  const tenon_entry all = {.module = m};
  const tenon_compile_options o = {.struct_size = sizeof o,
                                   .flags = flags | TENON_COMPILE_QUICK_PLAN};
  tenon_program *p = NULL;
  if (m->target && strcmp(m->target, "host") != 0) return TENON_OK;
  m->report.sink = (tenon_diag_sink){0};
  const tenon_status status = tenon_program_compile(&all, 1, &o, &p);
  m->report.sink = sink;
  if (status == TENON_NO_MEMORY)
    return tenon_fail_memory(&m->report, "explaining");
  if (status == TENON_OK && tenon_plan_shows_groups(p))
    explain_put_groups(p, out, is_json);
  if (status == TENON_OK && !is_json) explain_put_bands(p, out);
  tenon_program_destroy(p);
  return TENON_OK;
}
