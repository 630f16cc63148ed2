// base/system/os_process_posix.c - images, and this process, of POSIX systems.
#define _GNU_SOURCE       // dladdr1 and sched_getaffinity, where they exist
#define _DARWIN_C_SOURCE  // on macOS: dladdr, RTLD_FIRST
#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#if defined(__linux__) && defined(__aarch64__)
#include <sys/auxv.h>
#endif
#ifdef __GLIBC__
#include <link.h>
#endif
#ifdef __APPLE__
#include <mach-o/dyld.h>
#endif

#include "base/buf.h"
#include "base/heap.h"
#include "base/os.h"
#include "base/system/os_parts.h"

// --- images -----------------------------------------------------------------

// The loader's words without the path they begin with.
static bool fail_loading(const char *path, char *error) {
  const char *text = dlerror();
  size_t size = strlen(path);
  if (!text) return tenon_os_fail(error, "cannot be loaded");
  if (strncmp(text, path, size) == 0 && strncmp(text + size, ": ", 2) == 0) {
    text += size + 2;
  }
  return tenon_os_fail(error, text);
}

// On macOS the image itself can be asked for; see is_own.
#ifdef RTLD_FIRST
#define ALONE RTLD_FIRST
#else
#define ALONE 0
#endif

// A name without a slash would be looked up along a search path.
bool tenon_os_open_library(const char *path, void **out, char *error) {
  tenon_buf full;
  tenon_buf_init(&full, tenon_heap());
  if (!strchr(path, '/')) tenon_buf_text(&full, "./");
  tenon_buf_text(&full, path);
  void *library = NULL;
  if (full.failed) {
    tenon_os_fail(error, "out of memory");
  } else {
    library = dlopen(full.data, RTLD_NOW | RTLD_LOCAL | ALONE);
    if (!library) fail_loading(full.data, error);
  }
  tenon_buf_deinit(&full);
  if (library) *out = library;
  return library != NULL;
}

// dlsym also finds the symbols of what the image depends on; those are not its.
static bool is_own(void *library, void *symbol) {
#ifdef __GLIBC__
  struct link_map *map = NULL, *owner = NULL;
  Dl_info info;
  if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0) return true;
  if (!dladdr1(symbol, &info, (void **)&owner, RTLD_DL_LINKMAP)) return true;
  return map == owner;
#else
  (void)library;
  (void)symbol;
  return true;
#endif
}

void *tenon_os_symbol(void *library, const char *name) {
  void *symbol = dlsym(library, name);
  return symbol && is_own(library, symbol) ? symbol : NULL;
}

void tenon_os_close_library(void *library) {
  if (library) dlclose(library);
}

static bool program(char *path, size_t size) {
#ifdef __APPLE__
  uint32_t most = size > UINT32_MAX ? UINT32_MAX : (uint32_t)size;
  return _NSGetExecutablePath(path, &most) == 0 &&
         tenon_os_full_path(path, path, size);
#else
  ssize_t n = readlink("/proc/self/exe", path, size - 1);
  if (n <= 0) return false;
  path[n] = 0;
  return true;
#endif
}

// The running program is a link of /proc, where there is one; the image that
// this code is in, which is libtenon.so where another program has loaded that,
// is asked of the loader. A program that is linked statically with the library
// is both.
bool tenon_os_image(int i, char *path, size_t size) {
  Dl_info info;
  if (i == 0) return program(path, size);
  return i == 1 && dladdr((void *)(uintptr_t)tenon_os_image, &info) &&
         tenon_os_full_path(info.dli_fname, path, size);
}

// --- trying -----------------------------------------------------------------

tenon_os_end tenon_os_try(void (*work)(void *self), void *self, int computing,
                          int waiting, int *code) {
  int status = 0;
  *code = 0;
  pid_t child = fork();
  if (child < 0) return TENON_OS_UNTRIED;
  if (child == 0) {
    struct rlimit most = {(rlim_t)computing, (rlim_t)computing + 1};
    (void)setrlimit(RLIMIT_CPU, &most);
    (void)alarm((unsigned)waiting);
    work(self);
    _exit(0);
  }
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return TENON_OS_UNTRIED;
  if (WIFSIGNALED(status)) {
    *code = WTERMSIG(status);
    return *code == SIGXCPU   ? TENON_OS_COMPUTED
           : *code == SIGALRM ? TENON_OS_WAITED
                              : TENON_OS_KILLED;
  }
  *code = WEXITSTATUS(status);
  return *code ? TENON_OS_EXITED : TENON_OS_RETURNED;
}

const char *tenon_os_signal(int number) {
  return strsignal(number);
}

// --- programs, clocks -------------------------------------------------------

static bool is_executable(const char *format, const char *folder, size_t n,
                          const char *name, size_t size) {
  char file[4096];
  int used =
      snprintf(file, sizeof file, format, (int)n, folder, (int)size, name);
  return used > 0 && (size_t)used < sizeof file && access(file, X_OK) == 0 &&
         tenon_os_look(file) == TENON_OS_FILE;
}

bool tenon_os_is_program(const char *name, size_t size) {
  const char *path = getenv("PATH");
  if (memchr(name, '/', size))
    return is_executable("%.*s%.*s", "", 0, name, size);
  for (const char *p = path ? path : "/usr/bin:/bin"; *p;) {
    size_t n = strcspn(p, ":");
    if (is_executable("%.*s/%.*s", p, n, name, size)) return true;
    p += n + (p[n] == ':');
  }
  return false;
}

// Both are so.
void tenon_os_settle(int argc, char **argv) {
  (void)argc;
  (void)argv;
}

uint64_t tenon_os_process(void) {
  return (uint64_t)getpid();
}

uint64_t tenon_os_clock(void) {
  struct timespec now = {0, 0};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

bool tenon_os_is_terminal(int descriptor) {
  return isatty(descriptor) == 1;
}

// Those this process may use, where the system can say so.
int tenon_os_processors(void) {
  long count = 0;
#ifdef __linux__
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) count = CPU_COUNT(&set);
#endif
  if (count < 1) count = sysconf(_SC_NPROCESSORS_ONLN);
  return count < 1 ? 1 : (int)count;
}

void tenon_os_drive_away(pthread_t thread) {
#ifdef __GLIBC__
  cpu_set_t may, other;
  const int here = sched_getcpu();
  if (here < 0 || pthread_getaffinity_np(thread, sizeof may, &may) != 0) return;
  other = may;
  CPU_CLR((size_t)here, &other);
  if (CPU_COUNT(&other) == 0) return;
  if (pthread_setaffinity_np(thread, sizeof other, &other) == 0)
    (void)pthread_setaffinity_np(thread, sizeof may, &may);
#else
  (void)thread;
#endif
}

tenon_os_arm tenon_os_arm_features(void) {
  tenon_os_arm has = {false, false};
#if defined(__linux__) && defined(__aarch64__)
  // HWCAP_ASIMDDP and HWCAP2_I8MM, which not all headers name.
  has.has_dotprod = (getauxval(AT_HWCAP) >> 20 & 1) != 0;
  has.has_i8mm = (getauxval(AT_HWCAP2) >> 13 & 1) != 0;
#endif
  return has;
}
