// base/system/os_run_posix.c - running a program and talking to it.
//
// posix_spawn and no shell: arguments need no quoting. One poll loop feeds the
// input and drains both outputs, so none of the pipes can fill up and block the
// program. What goes beyond a limit, or beyond memory, is read and dropped, for
// the same reason.
//
// Writing to a program that no longer reads raises SIGPIPE. A library must not
// change how the process takes signals, so this thread blocks the signal and
// takes its own one back.
#define _GNU_SOURCE  // pipe2, environ
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/os.h"
#include "base/system/os_parts.h"

#ifdef __APPLE__
extern char **environ;
#endif

// Descriptors of our side and of the program's; -1: none.
typedef struct plumbing {
  int ours[3], theirs[3];
  const char *input;
  size_t input_size;
  tenon_os_pipe *pipes[3];  // by descriptor; 0 is never there
  const tenon_allocator *allocator;
  uint64_t end;  // of the clock; 0: none
  bool is_late;
  bool no_memory;
} plumbing;

static void posix_process_close_end(int *fd) {
  if (*fd >= 0) close(*fd);
  *fd = -1;
}

// An end of a pipe away from 0, 1 and 2, which it would get in a process that
// has closed them, and where it would be in the way of the program's.
static bool raise_end(int *fd) {
  if (*fd > 2) return true;
  int high = fcntl(*fd, F_DUPFD_CLOEXEC, 3);
  if (high < 0) return false;
  close(*fd);
  *fd = high;
  return true;
}

static bool open_pipe(int ends[2]) {
#ifdef __APPLE__
  if (pipe(ends) != 0) return false;
  fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  fcntl(ends[1], F_SETFD, FD_CLOEXEC);
#else
  if (pipe2(ends, O_CLOEXEC) != 0) return false;
#endif
  if (raise_end(&ends[0]) && raise_end(&ends[1])) return true;
  int number = errno;
  close(ends[0]);
  close(ends[1]);
  errno = number;
  return false;
}

// A pipe for each stream that has one; our ends never block.
static bool open_pipes(plumbing *p) {
  for (int i = 0; i < 3; ++i) {
    int ends[2];
    if (i == 0 ? !p->input : !p->pipes[i]) continue;
    if (!open_pipe(ends)) return false;
    p->theirs[i] = ends[i == 0 ? 0 : 1];
    p->ours[i] = ends[i == 0 ? 1 : 0];
    if (fcntl(p->ours[i], F_SETFL, O_NONBLOCK) != 0) return false;
  }
  return true;
}

// Returns an errno.
static int spawn(const char *const *argv, const plumbing *p, pid_t *pid) {
  posix_spawn_file_actions_t actions;
  int number = posix_spawn_file_actions_init(&actions);
  if (number != 0) return number;
  for (int i = 0; number == 0 && i < 3; ++i) {
    if (p->theirs[i] >= 0) {
      number = posix_spawn_file_actions_adddup2(&actions, p->theirs[i], i);
    } else if (i == 0) {
      number = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null",
                                                O_RDONLY, 0);
    }
  }
  if (number == 0) {
    // The arguments are not written to; the prototype is older than const.
    number = posix_spawnp(pid, argv[0], &actions, NULL,
                          (char *const *)(uintptr_t)argv, environ);
  }
  posix_spawn_file_actions_destroy(&actions);
  return number;
}

static void posix_process_keep(plumbing *p, tenon_os_pipe *pipe,
                               const char *data, size_t size) {
  if (p->no_memory) return;
  p->no_memory = !tenon_os_keep(p->allocator, pipe, data, size);
}

static void posix_process_drain(plumbing *p, int i) {
  char chunk[16384];
  ssize_t count = read(p->ours[i], chunk, sizeof chunk);
  if (count > 0) {
    posix_process_keep(p, p->pipes[i], chunk, (size_t)count);
  } else if (count == 0 || (errno != EINTR && errno != EAGAIN)) {
    posix_process_close_end(&p->ours[i]);
  }
}

// A program that closes its input has had enough; that is not a failure.
static void posix_process_feed(plumbing *p) {
  ssize_t count = write(p->ours[0], p->input, p->input_size);
  if (count >= 0) {
    p->input += count;
    p->input_size -= (size_t)count;
  } else if (errno != EINTR && errno != EAGAIN) {
    p->input_size = 0;
  }
  if (p->input_size == 0) posix_process_close_end(&p->ours[0]);
}

// Milliseconds until then; -1: there is no end.
static int left_until(uint64_t end) {
  uint64_t now = tenon_os_clock();
  if (end == 0) return -1;
  return now >= end ? 0 : (int)((end - now) / 1000000u) + 1;
}

// Until the program has closed its outputs, or the time is over.
static bool pump(plumbing *p) {
  if (p->ours[0] >= 0 && p->input_size == 0)
    posix_process_close_end(&p->ours[0]);
  while (p->ours[0] >= 0 || p->ours[1] >= 0 || p->ours[2] >= 0) {
    struct pollfd fds[3];
    for (int i = 0; i < 3; ++i) {
      fds[i].fd = p->ours[i];  // negative ones are skipped
      fds[i].events = i == 0 ? POLLOUT : POLLIN;
      fds[i].revents = 0;
    }
    int ready = poll(fds, 3, left_until(p->end));
    if (ready < 0 && errno != EINTR) return false;
    if (ready == 0 && left_until(p->end) == 0) {
      p->is_late = true;
      return true;
    }
    if (fds[0].revents) posix_process_feed(p);
    if (fds[1].revents) posix_process_drain(p, 1);
    if (fds[2].revents) posix_process_drain(p, 2);
  }
  return true;
}

// Pumps with SIGPIPE held back, and takes back the one that was for us.
static bool pump_quietly(plumbing *p) {
  sigset_t broken, before, pending;
  sigemptyset(&broken);
  sigaddset(&broken, SIGPIPE);
  sigpending(&pending);
  bool was_pending = sigismember(&pending, SIGPIPE) == 1;
  pthread_sigmask(SIG_BLOCK, &broken, &before);
  bool ok = pump(p);
  int number = errno;
  sigpending(&pending);
  if (!was_pending && sigismember(&pending, SIGPIPE) == 1) {
    int taken = 0;
    sigwait(&broken, &taken);
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  errno = number;
  return ok;
}

static bool await(pid_t pid, int *status, char *error) {
  int state = 0;
  while (waitpid(pid, &state, 0) < 0) {
    if (errno != EINTR) return tenon_os_fail_errno(error, errno);
  }
  *status = WIFSIGNALED(state) ? 128 + WTERMSIG(state) : WEXITSTATUS(state);
  return true;
}

static bool posix_process_run(plumbing *p, const char *const *argv, int *status,
                              char *error) {
  pid_t pid = 0;
  if (!open_pipes(p)) return tenon_os_fail_errno(error, errno);
  int number = spawn(argv, p, &pid);
  if (number != 0) return tenon_os_fail_errno(error, number);
  for (int i = 0; i < 3; ++i)
    posix_process_close_end(&p->theirs[i]);
  bool pumped = pump_quietly(p);
  if (!pumped) tenon_os_fail_errno(error, errno);
  if (p->is_late) (void)kill(pid, SIGKILL);
  // Without readers the program comes to an end also after a failure.
  for (int i = 0; i < 3; ++i)
    posix_process_close_end(&p->ours[i]);
  if (!await(pid, status, error)) return false;
  if (p->is_late) *status = TENON_OS_TIMED_OUT;
  return pumped;
}

bool tenon_os_run_for(int seconds, const char *const *argv, const void *input,
                      size_t input_size, const tenon_allocator *allocator,
                      tenon_os_pipe *output, tenon_os_pipe *errors, int *status,
                      char *error) {
  plumbing p = {.ours = {-1, -1, -1},
                .theirs = {-1, -1, -1},
                .input = input,
                .input_size = input_size,
                .pipes = {NULL, output, errors},
                .allocator = allocator};
  if (seconds > 0)
    p.end = tenon_os_clock() + (uint64_t)seconds * UINT64_C(1000000000);
  for (int i = 1; i < 3; ++i) {
    if (p.pipes[i]) posix_process_keep(&p, p.pipes[i], "", 0);
  }
  bool ok = !p.no_memory && posix_process_run(&p, argv, status, error);
  for (int i = 0; i < 3; ++i) {
    posix_process_close_end(&p.theirs[i]);
    posix_process_close_end(&p.ours[i]);
  }
  return p.no_memory ? tenon_os_fail(error, "out of memory") : ok;
}
