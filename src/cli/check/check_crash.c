// How: a kernel may end the process that runs it, or never end, and with it the
// report of everything else. So a row is first computed in a child, which says
// nothing and is only asked how it ended. It has so much time of the processor,
// which does not depend on what else the machine does; what waits instead of
// computing is stopped by the clock. Operators of the build are trusted.

#include "cli/check/check.h"

static bool is_trusted(const check_subject *s) {
  if (s->kernel) return s->kernel->is_builtin;
  return s->op && s->op->op.is_builtin;
}

typedef struct try_of_row {
  checker *k;
  const check_subject *s;
  const check_row *row;
  check_way way;
} try_of_row;

// All that this process would compute of the row.
static void crash_compute(void *self) {
  const try_of_row *t = (const try_of_row *)self;
  char detail[CHECK_DETAIL];
  if (!t->row->given && !check_row_computed(t->k, t->s, t->row)) return;
  for (int i = 0; i < CHECK_EMITTED; ++i)
    if ((t->way == CHECK_WAYS || i == (int)t->way) && !t->k->is_left_out[i])
      (void)check_way_run(t->k, t->s, t->row, (check_way)i, detail,
                          sizeof detail);
}

// Rows take milliseconds; models of one's own what they take. Of an operator
// that did not end once, less is enough.
enum { SECONDS = 4, SECONDS_AGAIN = 1, SECONDS_GIVEN = 600, WAITING = 6 };

bool check_survives(checker *k, const check_subject *s, const check_row *row,
                    check_way way, char *detail, size_t size) {
  try_of_row t = {k, s, row, way};
  int code = 0;
  if (is_trusted(s)) return true;
  int seconds = row->given    ? SECONDS_GIVEN
                : k->has_hung ? SECONDS_AGAIN
                              : SECONDS;
  switch (tenon_os_try(crash_compute, &t, seconds, seconds * WAITING, &code)) {
    case TENON_OS_RETURNED:
    case TENON_OS_UNTRIED:  // nobody can look
      return true;
    case TENON_OS_COMPUTED:
      k->has_hung = true;
      snprintf(detail, size,
               "it does not come to an end: stopped after %d s of computing",
               seconds);
      break;
    case TENON_OS_WAITED:
      k->has_hung = true;
      snprintf(detail, size, "it does not come to an end: stopped after %d s",
               seconds * WAITING);
      break;
    case TENON_OS_KILLED:
      snprintf(detail, size,
               "the process that computes it ends with signal %d, %s", code,
               tenon_os_signal(code));
      break;
    case TENON_OS_EXITED:
      snprintf(detail, size, "the process that computes it ends with code %d",
               code);
      break;
  }
  return false;
}

bool check_row_accept(checker *k, const check_subject *s, check_row *row,
                      check_way way) {
  char detail[CHECK_DETAIL];
  return check_row_is_read(k, row) &&
         check_survives(k, s, row, way, detail, sizeof detail) &&
         check_row_computed(k, s, row);
}
