// How: a thread sleeps until the command ends. After the first second it writes
// what the command is doing, how far it is, and for how long, over the same
// line once a second; when the command ends, the line is wiped. Only where
// standard error is a terminal that can do that.
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/cli.h"

typedef struct progress {
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t end;
  const char *doing;  // a constant text
  char what[64];      // of it; or ""
  size_t done, all;   // all 0: not known
  size_t first;       // of `done`, when `doing` began
  uint64_t since;     // when that was
  bool is_running, is_over, was_shown;
} progress;

// Of the one command that may show it.
static progress line = {.lock = PTHREAD_MUTEX_INITIALIZER,
                        .end = PTHREAD_COND_INITIALIZER};

// Parts take about as long as those before, once there were some seconds of
// them.
static void print_left(uint64_t now) {
  const double least = 3;
  double took = (double)(now - line.since) / 1e9;
  if (line.done <= line.first || line.done >= line.all || took < least) return;
  double each = took / (double)(line.done - line.first);
  double left = each * (double)(line.all - line.done);
  if (left >= 90)
    fprintf(stderr, ", about %.0f min left", left / 60);
  else
    fprintf(stderr, ", about %.0f s left", left);
}

static void progress_print_line(int seconds) {
  fprintf(stderr, "\r\033[Ktenon: %s%s%s", line.doing, line.what[0] ? " " : "",
          line.what);
  if (line.all) fprintf(stderr, ", %zu of %zu", line.done, line.all);
  fprintf(stderr, ", %d s", seconds);
  print_left(tenon_os_clock());
  fflush(stderr);
  line.was_shown = true;
}

static void *progress_show(void *arg) {
  struct timespec until;
  (void)arg;
  clock_gettime(CLOCK_REALTIME, &until);
  pthread_mutex_lock(&line.lock);
  for (int seconds = 1; !line.is_over; ++seconds) {
    until.tv_sec += 1;
    while (!line.is_over &&
           pthread_cond_timedwait(&line.end, &line.lock, &until) != ETIMEDOUT)
      continue;
    if (!line.is_over) progress_print_line(seconds);
  }
  pthread_mutex_unlock(&line.lock);
  return NULL;
}

static bool progress_is_wanted(const cli *c) {
  const char *kind = getenv("TERM");
  return c->sink->has_progress && !c->quiet && !c->json &&
         tenon_os_is_terminal(2) && !(kind && strcmp(kind, "dumb") == 0);
}

void cli_progress_of(const cli *c, const char *doing, const char *what,
                     size_t done, size_t all) {
  pthread_mutex_lock(&line.lock);
  if (!line.doing || strcmp(line.doing, doing) != 0) {
    line.since = tenon_os_clock();
    line.first = done;
  }
  line.doing = doing;
  (void)tenon_text_show(line.what, sizeof line.what, what ? what : "");
  line.done = done;
  line.all = all;
  bool must_start = !line.is_running && progress_is_wanted(c);
  if (must_start) line.is_over = line.was_shown = false;
  if (must_start)
    line.is_running =
        pthread_create(&line.thread, NULL, progress_show, NULL) == 0;
  pthread_mutex_unlock(&line.lock);
}

void cli_progress(const cli *c, const char *doing) {
  cli_progress_of(c, doing, NULL, 0, 0);
}

void cli_progress_end(const cli *c) {
  if (!c->sink->has_progress || !line.is_running) return;
  pthread_mutex_lock(&line.lock);
  line.is_over = true;
  pthread_cond_signal(&line.end);
  pthread_mutex_unlock(&line.lock);
  pthread_join(line.thread, NULL);
  if (line.was_shown) fputs("\r\033[K", stderr);
  line.is_running = false;
}
