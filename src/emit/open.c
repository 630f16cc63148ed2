// How: what a program with open sizes adds to emitted C. Memory is that of the
// upper bounds; sizes that a run finds out lie in the instance.
#include "emit/emission.h"

// The first leaf without a bound, or the first at all.
static uint32_t find_culprit(const tenon_emission *e) {
  for (uint32_t i = 1; i < e->p->n_numbers; ++i)
    if (e->p->numbers[i].op == 0 && e->p->numbers[i].max == INT64_MAX) return i;
  return 0;
}

tenon_status tenon_emit_check_open(const tenon_emission *e) {
  const struct tenon_program *p = e->p;
  if (p->n_numbers == 0) return TENON_OK;
  uint32_t i = find_culprit(e);
  return tenon_fail(e->report, TENON_UNSUPPORTED, "emit-open-size", NULL,
                    "the size '%s' is open: fix it with --dim %s=7, or --shape",
                    p->numbers[i ? i : 1].name, p->numbers[i ? i : 1].name);
}
