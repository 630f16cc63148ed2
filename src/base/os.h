// base/os.h - what the C library has no portable name for.
//
// Each call returns false on failure and then fills `error` (at most
// TENON_OS_ERROR bytes, a sentence without the path). The files os_*_posix.c
// implement it; a build for another system has files of its own. Nothing
// outside of this folder asks which system it is, but for threads, which are
// POSIX's
// (<pthread.h>) wherever Tenon is built.
#ifndef TENON_BASE_OS_H
#define TENON_BASE_OS_H

#include <pthread.h>

#include "tenon/alloc.h"

#define TENON_OS_ERROR 256

// A file in memory, read-only, and behind it TENON_OS_PADDING zeros, since
// kernels may read a little past the end of a constant. Empty files have size 0
// and a valid pointer.
#define TENON_OS_PADDING 64
typedef struct tenon_os_map {
  const void *data;
  size_t size;
  size_t mapped;  // what unmapping needs to know
} tenon_os_map;
bool tenon_os_map_file(const char *path, tenon_os_map *out, char *error);
void tenon_os_unmap(tenon_os_map *map);

// Bytes of a large page, at whose multiples one may begin; a block that has
// just been taken may have them where it is whole pages of it long.
#define TENON_OS_PAGE ((size_t)2 << 20)
void tenon_os_offer_pages(void *block, size_t size);

// A loaded image. `name` of a symbol is looked up in this image alone.
bool tenon_os_open_library(const char *path, void **out, char *error);
void *tenon_os_symbol(void *library, const char *name);  // null: not there
void tenon_os_close_library(void *library);

// Writes the whole file under a temporary name beside it, then renames: `path`
// holds the old content or the new, never a part. Creates missing folders. A
// link is followed, a device or a pipe written to.
bool tenon_os_write_file(const char *path, const void *data, size_t size,
                         char *error);
// The same of several: none is renamed before all are written. `at` is the one
// that could not be.
typedef struct tenon_os_content {
  const char *path;
  const void *data;
  size_t size;
} tenon_os_content;
bool tenon_os_write_files(const tenon_os_content *files, size_t count,
                          size_t *at, char *error);
// Of all processes that call it with this path one makes the file; fails where
// it is there.
bool tenon_os_make_file(const char *path, const void *data, size_t size,
                        char *error);
void tenon_os_remove_file(const char *path);               // best effort
bool tenon_os_make_folder(const char *path, char *error);  // with its parents
// A fresh folder of this process under the system's temporary one.
bool tenon_os_temp_folder(char *path, size_t size, char *error);
void tenon_os_remove_folder(const char *path);  // with its content; best effort

typedef enum tenon_os_kind {
  TENON_OS_ABSENT,
  TENON_OS_FILE,
  TENON_OS_FOLDER
} tenon_os_kind;
tenon_os_kind tenon_os_look(const char *path);
// Identity of a file, equal for two paths of one file.
bool tenon_os_identity(const char *path, uint64_t id[2]);
// The path from the root, without links; false: there is no such file.
bool tenon_os_full_path(const char *path, char *out, size_t size);
// Calls `each` with the names in a folder, sorted; stops when it returns false.
bool tenon_os_list(const char *path, const tenon_allocator *allocator,
                   bool (*each)(void *self, const char *name), void *self,
                   char *error);

// The folder of the running program (0), and of the image that this code is in
// (1). False: not known, or no more of them.
bool tenon_os_home(int i, char *path, size_t size);

// Whether there is such a program: a path, or a name to be looked up as
// tenon_os_run does. `size` bytes of `name` count.
bool tenon_os_is_program(const char *name, size_t size);

// Runs a program without a shell and waits. `input` is fed to its standard
// input and its standard output and error are collected, each up to its limit,
// if not null; both may go to one pipe. Without input it reads nothing; an
// output that is not collected goes where ours goes. `status` is its exit code,
// or 128 plus the signal's number.
typedef struct tenon_os_pipe {
  char *data;    // from `allocator`: `capacity` bytes, also after a failure
  size_t size;   // of what was kept; a zero follows
  size_t limit;  // what goes beyond is dropped; 0: none
  size_t capacity;
} tenon_os_pipe;
bool tenon_os_run(const char *const *argv, const void *input, size_t input_size,
                  const tenon_allocator *allocator, tenon_os_pipe *output,
                  tenon_os_pipe *errors, int *status, char *error);
// The same for at most so many seconds, 0: for ever. What runs longer is
// killed, and `status` is TENON_OS_TIMED_OUT.
#define TENON_OS_TIMED_OUT 256
bool tenon_os_run_for(int seconds, const char *const *argv, const void *input,
                      size_t input_size, const tenon_allocator *allocator,
                      tenon_os_pipe *output, tenon_os_pipe *errors, int *status,
                      char *error);

// Calls `work` in a copy of this process, which may end or hang there; nothing
// that it changes is seen here. It has `computing` seconds of a processor, and
// `waiting` of the clock.
typedef enum tenon_os_end {
  TENON_OS_RETURNED,
  TENON_OS_UNTRIED,   // the system cannot copy processes, or refused it
  TENON_OS_COMPUTED,  // longer than it had: stopped
  TENON_OS_WAITED,    // the same of the clock
  TENON_OS_KILLED,    // by the signal `code`
  TENON_OS_EXITED     // with `code`
} tenon_os_end;
tenon_os_end tenon_os_try(void (*work)(void *self), void *self, int computing,
                          int waiting, int *code);
const char *tenon_os_signal(int number);  // its name

// To be called by a program first: its standard streams take and give bytes as
// they are, and paths among its arguments have '/' between folders.
void tenon_os_settle(int argc, char **argv);

// The same in C, for a program that is written: what it includes, and what its
// main does first.
#define TENON_OS_STREAMS_INCLUDE \
  "#ifdef _WIN32\n"              \
  "#include <fcntl.h>\n"         \
  "#include <io.h>\n"            \
  "#endif\n"
#define TENON_OS_STREAMS_SETTLE                     \
  "#ifdef _WIN32\n"                                 \
  "  (void)_setmode(_fileno(stdin), _O_BINARY);\n"  \
  "  (void)_setmode(_fileno(stdout), _O_BINARY);\n" \
  "#endif\n"

uint64_t tenon_os_process(void);  // a number that no other process has now
uint64_t tenon_os_clock(void);    // nanoseconds, monotonic
bool tenon_os_is_terminal(int descriptor);
int tenon_os_processors(void);
// A thread that is on the caller's processor, or waits for it, goes to another
// one at once, where it may use one; which ones it may use stays as it is. Best
// effort: nothing happens where the system has no call for it.
void tenon_os_drive_away(pthread_t thread);
// Whether the system says that the processor, of 64-bit Arm, has dot products
// of bytes, and products of matrices of bytes.
typedef struct tenon_os_arm {
  bool has_dotprod, has_i8mm;
} tenon_os_arm;
tenon_os_arm tenon_os_arm_features(void);

#endif  // TENON_BASE_OS_H
