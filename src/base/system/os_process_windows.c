// base/system/os_process_windows.c - images, programs and this process, of
// Windows.
#include "base/system/os_windows.h"

#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/heap.h"

// --- images -----------------------------------------------------------------

// Of a path without a folder Windows would look along a search path.
bool tenon_os_open_library(const char *path, void **out, char *error) {
  char full[4096];
  DWORD n = GetFullPathNameA(path, sizeof full, full, NULL);
  if (n == 0 || n >= sizeof full) return tenon_os_fail_last(error);
  HMODULE library = LoadLibraryExA(full, NULL, LOAD_WITH_ALTERED_SEARCH_PATH);
  if (!library) return tenon_os_fail_last(error);
  *out = (void *)library;
  return true;
}

void *tenon_os_symbol(void *library, const char *name) {
  return (void *)(uintptr_t)GetProcAddress((HMODULE)library, name);
}

void tenon_os_close_library(void *library) {
  if (library) (void)FreeLibrary((HMODULE)library);
}

bool tenon_os_image(int i, char *path, size_t size) {
  HMODULE image = NULL;
  if (i > 1 || (i == 1 && !GetModuleHandleExA(
                              GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS |
                                  GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT,
                              (const char *)(uintptr_t)tenon_os_image, &image)))
    return false;
  DWORD n = GetModuleFileNameA(image, path, (DWORD)size);
  if (n == 0 || n >= size) return false;
  tenon_os_use_slashes(path);
  return true;
}

// --- running ----------------------------------------------------------------

// As the C library of Windows takes it apart again: quotes are doubled with a
// backslash, and so are backslashes in front of them.
static void add_quoted(tenon_buf *line, const char *word) {
  size_t slashes = 0;
  tenon_buf_char(line, '"');
  for (const char *p = word; *p; ++p) {
    if (*p == '"')
      for (++slashes; slashes > 0; --slashes)
        tenon_buf_char(line, '\\');
    slashes = *p == '\\' ? slashes + 1 : 0;
    tenon_buf_char(line, *p);
  }
  for (; slashes > 0; --slashes)
    tenon_buf_char(line, '\\');
  tenon_buf_text(line, "\" ");
}

// A stream of the program, which a thread of ours feeds or drains.
typedef struct stream {
  HANDLE ours, theirs, thread;
  const char *input;
  size_t input_size;
  const tenon_allocator *allocator;
  tenon_os_pipe *pipe;
  CRITICAL_SECTION *lock;  // both outputs may go to one pipe
  bool no_memory;
} stream;

static void close_end(HANDLE *end) {
  if (*end) CloseHandle(*end);
  *end = NULL;
}

static DWORD WINAPI windows_process_feed(void *self) {
  stream *s = (stream *)self;
  DWORD count = 0;
  while (s->input_size > 0 &&
         WriteFile(s->ours, s->input,
                   s->input_size > 65536 ? 65536 : (DWORD)s->input_size, &count,
                   NULL)) {
    s->input += count;
    s->input_size -= count;
  }
  close_end(&s->ours);
  return 0;
}

static DWORD WINAPI windows_process_drain(void *self) {
  stream *s = (stream *)self;
  char chunk[16384];
  DWORD count = 0;
  while (ReadFile(s->ours, chunk, sizeof chunk, &count, NULL) && count > 0) {
    EnterCriticalSection(s->lock);
    if (!s->no_memory)
      s->no_memory = !tenon_os_keep(s->allocator, s->pipe, chunk, count);
    LeaveCriticalSection(s->lock);
  }
  return 0;
}

static bool open_stream(stream *s, int i) {
  SECURITY_ATTRIBUTES shared = {.nLength = sizeof shared,
                                .bInheritHandle = TRUE};
  if (i == 0 ? !s->input : !s->pipe) {
    // Without input it reads nothing; an output goes where ours goes.
    s->theirs =
        i == 0 ? CreateFileA("NUL", GENERIC_READ, FILE_SHARE_READ, &shared,
                             OPEN_EXISTING, 0, NULL)
               : GetStdHandle(i == 1 ? STD_OUTPUT_HANDLE : STD_ERROR_HANDLE);
    return true;
  }
  HANDLE *from = i == 0 ? &s->theirs : &s->ours;
  HANDLE *to = i == 0 ? &s->ours : &s->theirs;
  return CreatePipe(from, to, &shared, 0) &&
         SetHandleInformation(s->ours, HANDLE_FLAG_INHERIT, 0) &&
         (s->thread = CreateThread(
              NULL, 0, i == 0 ? windows_process_feed : windows_process_drain, s,
              CREATE_SUSPENDED, NULL)) != NULL;
}

// What POSIX systems would have called it.
static int status_of(DWORD code) {
  switch (code) {
    case 0xC0000005:
      return 128 + 11;  // an access
    case 0xC000001D:
      return 128 + 4;  // an instruction
    case 0xC0000094:
    case 0xC0000095:
      return 128 + 8;  // arithmetic
    default:
      return code >= 0x80000000 ? 128 + 6 : (int)code;
  }
}

static bool windows_process_run(stream s[3], char *line, int seconds,
                                int *status, char *error) {
  STARTUPINFOA start = {.cb = sizeof start, .dwFlags = STARTF_USESTDHANDLES};
  PROCESS_INFORMATION child;
  for (int i = 0; i < 3; ++i)
    if (!open_stream(&s[i], i)) return tenon_os_fail_last(error);
  start.hStdInput = s[0].theirs;
  start.hStdOutput = s[1].theirs;
  start.hStdError = s[2].theirs;
  if (!CreateProcessA(NULL, line, NULL, NULL, TRUE, 0, NULL, NULL, &start,
                      &child))
    return tenon_os_fail_last(error);
  for (int i = 0; i < 3; ++i) {
    if (i == 0 || s[i].thread) close_end(&s[i].theirs);
    if (s[i].thread) (void)ResumeThread(s[i].thread);
  }
  DWORD wait = seconds > 0 ? (DWORD)seconds * 1000u : INFINITE;
  bool is_late = WaitForSingleObject(child.hProcess, wait) == WAIT_TIMEOUT;
  if (is_late) (void)TerminateProcess(child.hProcess, 1);
  DWORD code = 0;
  for (int i = 0; i < 3; ++i) {
    if (s[i].thread) (void)WaitForSingleObject(s[i].thread, INFINITE);
    close_end(&s[i].thread);
  }
  (void)GetExitCodeProcess(child.hProcess, &code);
  *status = is_late ? TENON_OS_TIMED_OUT : status_of(code);
  CloseHandle(child.hThread);
  CloseHandle(child.hProcess);
  return true;
}

static void close_stream(stream *s, bool is_inherited) {
  // One that never ran: its program was not started.
  if (s->thread) (void)TerminateThread(s->thread, 0);
  close_end(&s->thread);
  close_end(&s->ours);
  if (!is_inherited) close_end(&s->theirs);
}

bool tenon_os_run_for(int seconds, const char *const *argv, const void *input,
                      size_t input_size, const tenon_allocator *allocator,
                      tenon_os_pipe *output, tenon_os_pipe *errors, int *status,
                      char *error) {
  CRITICAL_SECTION lock;
  tenon_os_pipe *const pipes[] = {NULL, output, errors};
  stream s[3] = {{.input = input, .input_size = input_size}};
  tenon_buf line;
  tenon_buf_init(&line, *allocator);
  for (size_t i = 0; argv[i]; ++i)
    add_quoted(&line, argv[i]);
  bool ok = !line.failed;
  InitializeCriticalSection(&lock);
  for (int i = 1; i < 3; ++i) {
    s[i].pipe = pipes[i];
    s[i].allocator = allocator;
    s[i].lock = &lock;
    if (ok && pipes[i]) ok = tenon_os_keep(allocator, pipes[i], "", 0);
  }
  bool ran = ok && windows_process_run(s, line.data, seconds, status, error);
  ok = ok && !s[1].no_memory && !s[2].no_memory;
  for (int i = 0; i < 3; ++i)
    close_stream(&s[i], i > 0 && !s[i].pipe);
  DeleteCriticalSection(&lock);
  tenon_buf_deinit(&line);
  return ok ? ran : tenon_os_fail(error, "out of memory");
}

bool tenon_os_is_program(const char *name, size_t size) {
  char text[MAX_PATH], found[MAX_PATH];
  int n = snprintf(text, sizeof text, "%.*s", (int)size, name);
  if (n <= 0 || (size_t)n >= sizeof text) return false;
  DWORD used = SearchPathA(NULL, text, ".exe", sizeof found, found, NULL);
  return used > 0 && used < sizeof found &&
         tenon_os_look(found) == TENON_OS_FILE;
}

// A process cannot be copied here.
tenon_os_end tenon_os_try(void (*work)(void *self), void *self, int computing,
                          int waiting, int *code) {
  (void)work;
  (void)self;
  (void)computing;
  (void)waiting;
  *code = 0;
  return TENON_OS_UNTRIED;
}

const char *tenon_os_signal(int number) {
  (void)number;
  return "a signal";
}

// --- this process -----------------------------------------------------------

uint64_t tenon_os_process(void) {
  return GetCurrentProcessId();
}

uint64_t tenon_os_clock(void) {
  LARGE_INTEGER now, rate;
  QueryPerformanceCounter(&now);
  QueryPerformanceFrequency(&rate);
  uint64_t n = (uint64_t)now.QuadPart, each = (uint64_t)rate.QuadPart;
  return n / each * UINT64_C(1000000000) +
         n % each * UINT64_C(1000000000) / each;
}

bool tenon_os_is_terminal(int descriptor) {
  return _isatty(descriptor) != 0;
}

int tenon_os_processors(void) {
  DWORD_PTR ours = 0, all = 0;
  int count = 0;
  if (GetProcessAffinityMask(GetCurrentProcess(), &ours, &all))
    for (; ours != 0; ours &= ours - 1)
      ++count;
  return count < 1 ? 1 : count;
}

// A path, or what stands behind '=' in an argument, if its folder is there.
static void settle_path(char *text) {
  char *slash = strrchr(text, '\\');
  if (!slash) return;
  *slash = 0;
  bool is_path = *text == 0 || tenon_os_look(text) == TENON_OS_FOLDER;
  *slash = '\\';
  if (is_path) tenon_os_use_slashes(text);
}

void tenon_os_settle(int argc, char **argv) {
  for (int i = 0; i < 3; ++i)
    (void)_setmode(i, _O_BINARY);
  for (int i = 1; i < argc; ++i) {
    char *equals = strchr(argv[i], '=');
    settle_path(argv[i]);
    if (equals) settle_path(equals + 1);
  }
}

void tenon_os_drive_away(pthread_t thread) {
  (void)thread;
}

tenon_os_arm tenon_os_arm_features(void) {
  const tenon_os_arm none = {false, false};
  return none;
}
