// What newlib's stdio asks of a system, answered by semihosting: standard input
// and output are files of the host that MCU_INPUT and MCU_OUTPUT name, standard
// error is the emulator's console, and fopen opens files of the host.
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "mcu.h"
#include "mcu_paths.h"

int _open(const char *path, int flags, int mode);
int _close(int file);
int _read(int file, char *to, int size);
int _write(int file, const char *from, int size);
int _lseek(int file, int offset, int whence);
int _fstat(int file, struct stat *out);
int _isatty(int file);
int _kill(int pid, int signal);
int _getpid(void);
void _exit(int status);
void *_sbrk(ptrdiff_t size);
void mcu_flush(void);
void _init(void);
void _fini(void);

enum { SYS_OPEN = 0x01, SYS_CLOSE = 0x02, SYS_WRITE = 0x05, SYS_READ = 0x06 };
enum { FILES = 8 };

static uint32_t handles[FILES];  // of the host, plus one; 0: closed

static int open_as(int file, const char *path, uint32_t mode) {
  const uint32_t block[3] = {(uint32_t)(uintptr_t)path, mode,
                             (uint32_t)strlen(path)};
  uint32_t handle = mcu_semihost(SYS_OPEN, block);
  if (handle == UINT32_MAX) return -1;
  handles[file] = handle + 1;
  return file;
}

int _open(const char *path, int flags, int mode) {
  (void)mode;
  for (int file = 3; file < FILES; ++file)
    if (!handles[file]) return open_as(file, path, (flags & 3) ? 5 : 1);
  return -1;
}

static int syscalls_is_open(int file) {
  if (file < 0 || file >= FILES) return 0;
  if (file == 0 && !handles[0]) (void)open_as(0, MCU_INPUT, 1);
  if (file == 1 && !handles[1]) (void)open_as(1, MCU_OUTPUT, 5);
  return handles[file] != 0;
}

// How many bytes of `size` were not transferred is what the host answers.
static int transfer(uint32_t operation, int file, const void *data, int size) {
  const uint32_t block[3] = {handles[file] - 1, (uint32_t)(uintptr_t)data,
                             (uint32_t)size};
  return size - (int)mcu_semihost(operation, block);
}

int _read(int file, char *to, int size) {
  if (syscalls_is_open(file)) return transfer(SYS_READ, file, to, size);
  errno = EBADF;
  return -1;
}

int _write(int file, const char *from, int size) {
  if (file == 2) {
    for (int i = 0; i < size; ++i) {
      const char text[2] = {from[i], 0};
      mcu_puts(text);
    }
    return size;
  }
  if (syscalls_is_open(file)) return transfer(SYS_WRITE, file, from, size);
  errno = EBADF;
  return -1;
}

int _close(int file) {
  if (file < 0 || file >= FILES || !handles[file]) return -1;
  const uint32_t block[1] = {handles[file] - 1};
  handles[file] = 0;
  return (int)mcu_semihost(SYS_CLOSE, block);
}

int _lseek(int file, int offset, int whence) {
  (void)file, (void)offset, (void)whence;
  errno = ESPIPE;
  return -1;
}

int _fstat(int file, struct stat *out) {
  memset(out, 0, sizeof *out);
  out->st_mode = file == 2 ? S_IFCHR : S_IFREG;
  return 0;
}

int _isatty(int file) {
  return file == 2;
}

int _kill(int pid, int signal) {
  (void)pid;
  mcu_exit(128 + signal);
}

int _getpid(void) {
  return 1;
}

void _exit(int status) {
  mcu_exit(status);
}

void *_sbrk(ptrdiff_t size) {
  extern char __heap_start[], __heap_end[];
  static char *at = __heap_start;
  if (size > __heap_end - at) {
    errno = ENOMEM;
    return (void *)-1;
  }
  char *was = at;
  at += size;
  return was;
}

void mcu_flush(void) {
  (void)fflush(NULL);
}

void _init(void) {
}

void _fini(void) {
}
