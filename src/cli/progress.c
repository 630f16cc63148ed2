// How: a thread sleeps until the command ends. After the first second it writes
// what the command is doing, and for how long, over the same line once a
// second; when the command ends, the line is wiped. Only where standard error
// is a terminal.
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"

typedef struct progress {
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t end;
  const char *doing;  // a constant text
  bool is_running, is_over, was_shown;
} progress;

// Of the one command that may show it.
static progress line = {.lock = PTHREAD_MUTEX_INITIALIZER,
                        .end = PTHREAD_COND_INITIALIZER};

static void *show(void *arg) {
  struct timespec until;
  (void)arg;
  clock_gettime(CLOCK_REALTIME, &until);
  pthread_mutex_lock(&line.lock);
  for (int seconds = 1; !line.is_over; ++seconds) {
    until.tv_sec += 1;
    while (!line.is_over &&
           pthread_cond_timedwait(&line.end, &line.lock, &until) != ETIMEDOUT)
      continue;
    if (line.is_over) break;
    fprintf(stderr, "\r\033[Ktenon: %s, %d s", line.doing, seconds);
    fflush(stderr);
    line.was_shown = true;
  }
  pthread_mutex_unlock(&line.lock);
  return NULL;
}

void cli_progress(const cli *c, const char *doing) {
  pthread_mutex_lock(&line.lock);
  line.doing = doing;
  bool must_start = c->sink->has_progress && !line.is_running && !c->quiet &&
                    !c->json && isatty(2);
  if (must_start) line.is_over = line.was_shown = false;
  if (must_start)
    line.is_running = pthread_create(&line.thread, NULL, show, NULL) == 0;
  pthread_mutex_unlock(&line.lock);
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
