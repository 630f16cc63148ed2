// How: a kernel may end the process that runs it, or never end, and with it the
// report of everything else. So a row is first computed in a child, which says
// nothing and is only asked how it ended. It has so much time of the processor,
// which does not depend on what else the machine does; what waits instead of
// computing is stopped by the clock. Operators of the build are trusted.
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/check/check.h"

static bool is_trusted(const check_subject *s) {
  if (s->kernel) return s->kernel->is_builtin;
  return s->op && s->op->op.is_builtin;
}

// All that this process would compute of the row.
static void compute(checker *k, const check_subject *s, const check_row *row,
                    check_way way) {
  char detail[CHECK_DETAIL];
  if (!row->given && !check_row_computed(k, s, row)) return;
  for (int i = 0; i < CHECK_EMITTED; ++i)
    if ((way == CHECK_WAYS || i == (int)way) && !k->is_left_out[i])
      (void)check_way_run(k, s, row, (check_way)i, detail, sizeof detail);
}

// Rows take milliseconds; models of one's own what they take. Of an operator
// that did not end once, less is enough.
enum { SECONDS = 4, SECONDS_AGAIN = 1, SECONDS_GIVEN = 600, WAITING = 6 };

static void limit(int seconds) {
  struct rlimit most = {(rlim_t)seconds, (rlim_t)seconds + 1};
  (void)setrlimit(RLIMIT_CPU, &most);
  (void)alarm((unsigned)(seconds * WAITING));
}

bool check_survives(checker *k, const check_subject *s, const check_row *row,
                    check_way way, char *detail, size_t size) {
  int status = 0;
  if (is_trusted(s)) return true;
  pid_t child = fork();
  if (child < 0) return true;  // nobody can look
  int seconds = row->given    ? SECONDS_GIVEN
                : k->has_hung ? SECONDS_AGAIN
                              : SECONDS;
  if (child == 0) {
    limit(seconds);
    compute(k, s, row, way);
    _exit(0);
  }
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return true;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return true;
  int by = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  k->has_hung = k->has_hung || by == SIGXCPU || by == SIGALRM;
  if (by == SIGXCPU)
    snprintf(detail, size,
             "it does not come to an end: stopped after %d s of computing",
             seconds);
  else if (by == SIGALRM)
    snprintf(detail, size, "it does not come to an end: stopped after %d s",
             seconds * WAITING);
  else if (by)
    snprintf(detail, size,
             "the process that computes it ends with signal %d, %s", by,
             strsignal(by));
  else
    snprintf(detail, size, "the process that computes it ends with code %d",
             WEXITSTATUS(status));
  return false;
}

bool check_row_accept(checker *k, const check_subject *s, check_row *row,
                      check_way way) {
  char detail[CHECK_DETAIL];
  return check_row_is_read(k, row) &&
         check_survives(k, s, row, way, detail, sizeof detail) &&
         check_row_computed(k, s, row);
}
