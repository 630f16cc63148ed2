// ir/verify/verify_fail.c - what is wrong, by the number of the rule.
#include <stdio.h>

#include "ir/verify/verifier.h"

tenon_status tenon_verify_fail(const tenon_verifier *v, int number,
                               tenon_loc loc, const char *fmt, ...) {
  static const char *const ids[] = {
      "verify-0",  "verify-1",  "verify-2",  "verify-3",
      "verify-4",  "verify-5",  "verify-6",  "verify-7",
      "verify-8",  "verify-9",  "verify-10", "verify-11",
      "verify-12", "verify-13", "verify-14", "verify-15"};
  char text[TENON_MESSAGE_SIZE];
  va_list args;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  const tenon_place *place = tenon_locs_place(&v->m->locs, loc);
  if (!v->stage)
    return tenon_fail(&v->m->report, TENON_BAD_MODEL, ids[number], place, "%s",
                      text);
  return tenon_fail(&v->m->report, TENON_BUG, ids[number], place,
                    "after pass '%s': %s", v->stage, text);
}
