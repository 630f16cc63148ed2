// How: POSIX calls directly, since the library keeps its own wrappers to
// itself. What is written goes to a temporary file in the same folder first and
// is renamed.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"

extern char **environ;

int cli_refused(const cli *c, int status) {
  return c->unread ? c->unread : status;
}

static bool io_error(cli *c, const char *what, const char *path) {
  (void)cli_fail(c, TENON_IO, "cli-file", "cannot %s '%s': %s", what, path,
                 strerror(errno));
  return false;
}

bool cli_read_stream(cli *c, FILE *f, const char *path, cli_bytes *out) {
  char piece[65536];
  size_t n = 0;
  bool ok = true;
  memset(out, 0, sizeof *out);
  while (ok && (n = fread(piece, 1, sizeof piece, f)) > 0)
    ok = cli_bytes_add(out, piece, n);
  if (ok && ferror(f)) {
    ok = io_error(c, "read", path);
  } else {
    ok = ok && cli_bytes_add(out, NULL, 0);
    if (!ok)
      (void)cli_fail(c, CLI_NO_MEMORY, "memory", "reading '%s': out of memory",
                     path);
  }
  if (!ok) cli_bytes_free(out);
  return ok;
}

bool cli_read_file(cli *c, const char *path, cli_bytes *out) {
  memset(out, 0, sizeof *out);
  if (cli_is_folder(path)) {
    c->unread = cli_fail(c, TENON_IO, "cli-file", "'%s' is a folder", path);
    return false;
  }
  FILE *f = fopen(path, "rb");
  if (!f) {
    c->unread = TENON_IO;
    return io_error(c, "read", path);
  }
  bool ok = cli_read_stream(c, f, path, out);
  fclose(f);
  return ok;
}

static char *temporary_for(const char *path) {
  size_t n = strlen(path);
  char *temporary = (char *)malloc(n + 16);
  if (temporary) snprintf(temporary, n + 16, "%s.tmp%d", path, (int)getpid());
  return temporary;
}

static bool write_whole(const char *path, const void *data, size_t size) {
  FILE *f = fopen(path, "wb");
  if (!f) return false;
  bool ok = size == 0 || fwrite(data, 1, size, f) == size;
  return fclose(f) == 0 && ok;
}

bool cli_write_file(cli *c, const char *path, const void *data, size_t size) {
  char *temporary = temporary_for(path);
  if (!temporary) return false;
  bool ok = write_whole(temporary, data, size) && rename(temporary, path) == 0;
  if (!ok) {
    (void)io_error(c, "write", path);
    (void)unlink(temporary);
  }
  free(temporary);
  return ok;
}

bool cli_make_folder(cli *c, const char *path) {
  char *copy = strdup(path);
  bool ok = copy != NULL;
  for (char *p = copy; ok && *p; ++p) {
    if (*p != '/' || p == copy) continue;
    *p = 0;
    ok = mkdir(copy, 0777) == 0 || errno == EEXIST;
    *p = '/';
  }
  if (ok) ok = mkdir(copy, 0777) == 0 || errno == EEXIST;
  if (ok && !cli_is_folder(path)) {
    errno = ENOTDIR;
    ok = false;
  }
  if (!ok) (void)io_error(c, "make folder", path);
  free(copy);
  return ok;
}

static bool make_parent(cli *c, const char *path) {
  const char *end = strrchr(path, '/');
  if (!end || end == path) return true;
  char *folder = strndup(path, (size_t)(end - path));
  bool ok = folder && cli_make_folder(c, folder);
  free(folder);
  return ok;
}

bool cli_is_folder(const char *path) {
  struct stat s;
  return stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

bool cli_is_file(const char *path) {
  struct stat s;
  return stat(path, &s) == 0 && S_ISREG(s.st_mode);
}

bool cli_ends_with(const char *path, const char *suffix) {
  size_t n = strlen(path), m = strlen(suffix);
  return n >= m && strcmp(path + n - m, suffix) == 0;
}

char *cli_join(const char *folder, const char *name) {
  size_t n = strlen(folder), m = strlen(name);
  char *path = (char *)malloc(n + m + 2);
  if (path) snprintf(path, n + m + 2, "%s/%s", folder, name);
  return path;
}

bool cli_temp_folder(cli *c, char *path, size_t size) {
  const char *base = getenv("TMPDIR");
  snprintf(path, size, "%s/tenon-XXXXXX", base && *base ? base : "/tmp");
  return mkdtemp(path) ? true : io_error(c, "make a folder like", path);
}

void cli_remove_folder(const char *path) {
  DIR *d = opendir(path);
  struct dirent *e = NULL;
  while (d && (e = readdir(d)) != NULL) {
    if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
    char *inner = cli_join(path, e->d_name);
    if (!inner) continue;
    if (cli_is_folder(inner))
      cli_remove_folder(inner);
    else
      (void)unlink(inner);
    free(inner);
  }
  if (d) closedir(d);
  (void)rmdir(path);
}

uint64_t cli_clock(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

// --- programs ---------------------------------------------------------------

typedef struct child {
  int in, out, err;
  size_t fed;
} child;

static void set_up(posix_spawn_file_actions_t *a, int in[2], int out[2],
                   int err[2]) {
  posix_spawn_file_actions_init(a);
  posix_spawn_file_actions_adddup2(a, in[0], 0);
  posix_spawn_file_actions_adddup2(a, out[1], 1);
  posix_spawn_file_actions_adddup2(a, err[1], 2);
  for (int i = 0; i < 2; ++i) {
    posix_spawn_file_actions_addclose(a, in[i]);
    posix_spawn_file_actions_addclose(a, out[i]);
    posix_spawn_file_actions_addclose(a, err[i]);
  }
}

// Reads a piece of what the child says; closes the pipe at its end.
static void drain(int *from, cli_bytes *into) {
  char piece[65536];
  ssize_t n = read(*from, piece, sizeof piece);
  if (n > 0) {
    if (into) (void)cli_bytes_add(into, piece, (size_t)n);
  } else if (n == 0 || errno != EINTR) {
    close(*from);
    *from = -1;
  }
}

static void feed(child *ch, const cli_bytes *input) {
  size_t size = input ? input->size : 0;
  if (ch->fed < size) {
    ssize_t n = write(ch->in, input->data + ch->fed, size - ch->fed);
    if (n > 0) ch->fed += (size_t)n;
    if (n < 0 && errno != EINTR && errno != EAGAIN) ch->fed = size;
  }
  if (ch->fed >= size) {
    close(ch->in);
    ch->in = -1;
  }
}

// Milliseconds until then; -1: there is no end.
static int left_until(uint64_t end) {
  uint64_t now = cli_clock();
  if (end == 0) return -1;
  return now >= end ? 0 : (int)((end - now) / 1000000u) + 1;
}

// False when `end` came first.
static bool converse(child *ch, uint64_t end, const cli_bytes *input,
                     cli_bytes *output, cli_bytes *errors) {
  (void)fcntl(ch->in, F_SETFL, O_NONBLOCK);
  while (ch->in >= 0 || ch->out >= 0 || ch->err >= 0) {
    struct pollfd fds[3] = {
        {ch->in, POLLOUT, 0}, {ch->out, POLLIN, 0}, {ch->err, POLLIN, 0}};
    int ready = poll(fds, 3, left_until(end));
    if (ready < 0 && errno != EINTR) break;
    if (ready == 0 && left_until(end) == 0) return false;
    if (ch->in >= 0 && fds[0].revents) feed(ch, input);
    if (ch->out >= 0 && fds[1].revents) drain(&ch->out, output);
    if (ch->err >= 0 && fds[2].revents) drain(&ch->err, errors);
  }
  return true;
}

static void stop(child *ch, pid_t pid) {
  int *const ends[] = {&ch->in, &ch->out, &ch->err};
  (void)kill(pid, SIGKILL);
  for (int i = 0; i < 3; ++i)
    if (*ends[i] >= 0) close(*ends[i]);
}

bool cli_run(cli *c, const char *const *argv, const cli_bytes *input,
             cli_bytes *output, cli_bytes *errors, int *status) {
  return cli_run_for(c, 0, argv, input, output, errors, status);
}

bool cli_run_for(cli *c, int seconds, const char *const *argv,
                 const cli_bytes *input, cli_bytes *output, cli_bytes *errors,
                 int *status) {
  int in[2], out[2], err[2], code = 0;
  pid_t pid = 0;
  posix_spawn_file_actions_t actions;
  void (*old)(int) = signal(SIGPIPE, SIG_IGN);
  if (pipe(in) || pipe(out) || pipe(err)) return io_error(c, "run", argv[0]);
  set_up(&actions, in, out, err);
  int failed = posix_spawnp(&pid, argv[0], &actions, NULL,
                            (char *const *)(uintptr_t)argv, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(in[0]);
  close(out[1]);
  close(err[1]);
  child ch = {in[1], out[0], err[0], 0};
  if (failed) {
    close(ch.in);
    close(ch.out);
    close(ch.err);
    errno = failed;
    return io_error(c, "run", argv[0]);
  }
  uint64_t end =
      seconds > 0 ? cli_clock() + (uint64_t)seconds * 1000000000u : 0;
  bool ended = converse(&ch, end, input, output, errors);
  if (!ended) stop(&ch, pid);
  while (waitpid(pid, &code, 0) < 0 && errno == EINTR)
    continue;
  signal(SIGPIPE, old);
  *status = !ended            ? (int)CLI_TIMED_OUT
            : WIFEXITED(code) ? WEXITSTATUS(code)
                              : 128 + WTERMSIG(code);
  return true;
}

// --- emitted files ----------------------------------------------------------

tenon_status cli_files_write(void *self, const char *file, const char *text,
                             size_t size) {
  cli_files *f = (cli_files *)self;
  const char *name = file ? file : "";
  struct cli_file *last = f->count ? &f->data[f->count - 1] : NULL;
  if (!last || strcmp(last->name, name) != 0) {
    struct cli_file *data =
        (struct cli_file *)realloc(f->data, (f->count + 1) * sizeof *f->data);
    if (!data) return TENON_NO_MEMORY;
    f->data = data;
    last = &data[f->count];
    memset(last, 0, sizeof *last);
    last->name = strdup(name);
    if (!last->name) return TENON_NO_MEMORY;
    ++f->count;
  }
  return cli_bytes_add(&last->content, text, size) ? TENON_OK : TENON_NO_MEMORY;
}

// All are written under temporary names first, and renamed when the last one is
// whole: renaming needs neither memory nor room.
bool cli_files_save(cli *c, const cli_files *files, const char *folder) {
  char **from = (char **)calloc(files->count + 1, sizeof *from);
  char **to = (char **)calloc(files->count + 1, sizeof *to);
  size_t written = 0;
  bool ok = from && to && cli_make_folder(c, folder);
  for (size_t i = 0; ok && i < files->count; ++i) {
    const cli_bytes *b = &files->data[i].content;
    to[i] = cli_join(folder, files->data[i].name);
    from[i] = to[i] ? temporary_for(to[i]) : NULL;
    ok = from[i] && make_parent(c, to[i]);
    ok = ok && write_whole(from[i], b->data, b->size);
    if (from[i]) ++written;
    if (!ok && from[i]) (void)io_error(c, "write", to[i]);
  }
  for (size_t i = 0; i < written; ++i) {
    if (ok && rename(from[i], to[i]) != 0) ok = io_error(c, "write", to[i]);
    if (!ok) (void)unlink(from[i]);
  }
  for (size_t i = 0; from && to && i < files->count; ++i) {
    free(from[i]);
    free(to[i]);
  }
  free(from);
  free(to);
  return ok;
}

void cli_files_free(cli_files *files) {
  for (size_t i = 0; i < files->count; ++i) {
    free(files->data[i].name);
    cli_bytes_free(&files->data[i].content);
  }
  free(files->data);
  memset(files, 0, sizeof *files);
}
