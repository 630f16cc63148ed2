// base/system/os_posix.c - files, folders, libraries and clocks of POSIX
// systems.
//
// Paths are built in memory from the heap, so their length has no limit but the
// system's. Folders are removed through descriptors and names relative to them:
// neither a long path nor a link put there meanwhile leads outside.
//
// A written file is not flushed to the disk: the promise of old or new content
// is about processes that read it or die, not about power.
#define _XOPEN_SOURCE 700  // realpath
#define _DARWIN_C_SOURCE   // on macOS: mkdtemp, O_NOFOLLOW, MAP_ANON
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/heap.h"
#include "base/os.h"
#include "base/system/os_parts.h"

// The C locale's words. macOS has no strerror_l, and these words in English
// only.
#ifdef __APPLE__
static bool fail_plain(char *error, int number) {
  char text[TENON_OS_ERROR];
  if (strerror_r(number, text, sizeof text) != 0)
    snprintf(text, sizeof text, "error %d", number);
  return tenon_os_fail(error, text);
}
#else
static bool fail_plain(char *error, int number) {
  locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (!plain) {
    snprintf(error, TENON_OS_ERROR, "error %d", number);
    return false;
  }
  tenon_os_fail(error, strerror_l(number, plain));
  freelocale(plain);
  return false;
}
#endif

// Begun like the messages they become part of: in lower case, unless it is an
// abbreviation.
bool tenon_os_fail_errno(char *error, int number) {
  fail_plain(error, number);
  if (error[0] >= 'A' && error[0] <= 'Z' && error[1] >= 'a' &&
      error[1] <= 'z') {
    error[0] = (char)(error[0] - 'A' + 'a');
  }
  return false;
}

// So many bytes of zeros. POSIX has no name for memory without a file, and
// macOS maps no /dev/zero.
static void *map_zeros(size_t size) {
#ifdef __APPLE__
  return mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANON, -1, 0);
#else
  int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
  if (zero < 0) return MAP_FAILED;
  void *at = mmap(NULL, size, PROT_READ, MAP_PRIVATE, zero, 0);
  close(zero);
  return at;
#endif
}

// Behind a file lie the zeros of its last page, and where these do not suffice
// those of a page of their own.
static bool map_padded(int fd, size_t size, tenon_os_map *out) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  size_t own = (size + page - 1) / page * page;
  size_t whole = (size + TENON_OS_PADDING + page - 1) / page * page;
  int flags = MAP_PRIVATE;
  void *at = NULL;
  if (whole > own) {
    at = map_zeros(whole);
    if (at == MAP_FAILED) return false;
    flags |= MAP_FIXED;
  }
  void *data = mmap(at, size, PROT_READ, flags, fd, 0);
  if (data == MAP_FAILED) {
    int number = errno;
    if (at) munmap(at, whole);
    errno = number;
    return false;
  }
  out->data = data;
  out->size = size;
  out->mapped = whole;
  return true;
}

// Reading what another process cuts short meanwhile ends in SIGBUS; a model is
// replaced by renaming, never cut.
bool tenon_os_map_file(const char *path, tenon_os_map *out, char *error) {
  static const char nothing[TENON_OS_PADDING] = {0};
  struct stat st;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return tenon_os_fail_errno(error, errno);
  bool ok = false;
  if (fstat(fd, &st) != 0) {
    tenon_os_fail_errno(error, errno);
  } else if (!S_ISREG(st.st_mode)) {
    tenon_os_fail(error,
                  S_ISDIR(st.st_mode) ? "is a folder" : "not a regular file");
  } else if ((uintmax_t)st.st_size > SIZE_MAX / 2) {
    tenon_os_fail(error, "file too large for this machine");
  } else if (st.st_size == 0) {
    *out = (tenon_os_map){nothing, 0, 0};
    ok = true;
  } else {
    ok = map_padded(fd, (size_t)st.st_size, out) ||
         tenon_os_fail_errno(error, errno);
  }
  close(fd);
  return ok;
}

void tenon_os_unmap(tenon_os_map *map) {
  if (map->mapped != 0) munmap((void *)(uintptr_t)map->data, map->mapped);
  *map = (tenon_os_map){NULL, 0, 0};
}

static bool write_all(int fd, const void *data, size_t size) {
  const char *p = data;
  while (size != 0) {
    ssize_t count = write(fd, p, size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    p += count;
    size -= (size_t)count;
  }
  return true;
}

static bool write_and_close(int fd, const void *data, size_t size) {
  bool ok = write_all(fd, data, size);
  int number = errno;
  if (close(fd) != 0 && ok) return false;
  errno = number;
  return ok;
}

// Opens a new file beside `path` and leaves its name in `temp`. The process id
// keeps apart processes, the count threads and leftovers of a dead namesake.
static int open_temp(const char *path, mode_t mode, tenon_buf *temp) {
  for (unsigned i = 0; i < 10000; ++i) {
    tenon_buf_clear(temp);
    tenon_buf_format(temp, "%s.%ld.%u.tmp", path, (long)getpid(), i);
    if (temp->failed) {
      errno = ENOMEM;
      return -1;
    }
    int fd = open(temp->data, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (fd >= 0 || errno != EEXIST) return fd;
  }
  return -1;
}

void tenon_os_unstage(tenon_os_staged *s) {
  if (s->is_there) unlink(s->temp.data);
  tenon_buf_deinit(&s->temp);
  tenon_buf_deinit(&s->path);
}

// `old`: the file that is replaced; null if there is none.
static bool put_beside(tenon_os_staged *s, const char *path,
                       const struct stat *old, const tenon_os_content *f,
                       char *error) {
  tenon_buf_text(&s->path, path);
  if (s->path.failed) return tenon_os_fail(error, "out of memory");
  int fd = open_temp(path, 0666, &s->temp);
  if (fd < 0) return tenon_os_fail_errno(error, errno);
  s->is_there = true;
  // A replaced script stays executable; whose the file is need not be ours.
  if (old) (void)fchmod(fd, old->st_mode & 0777);
  return write_and_close(fd, f->data, f->size) ||
         tenon_os_fail_errno(error, errno);
}

// A device or a pipe is written to, a link is followed: replacing /dev/null
// would be a surprise.
bool tenon_os_stage(tenon_os_staged *s, const tenon_os_content *f,
                    char *error) {
  struct stat st;
  if (stat(f->path, &st) != 0) return put_beside(s, f->path, NULL, f, error);
  if (S_ISDIR(st.st_mode)) return tenon_os_fail(error, "is a folder");
  if (!S_ISREG(st.st_mode)) {
    int fd = open(f->path, O_WRONLY | O_CLOEXEC);
    if (fd >= 0 && write_and_close(fd, f->data, f->size)) return true;
    return tenon_os_fail_errno(error, errno);
  }
  char *real = realpath(f->path, NULL);
  if (!real) return tenon_os_fail_errno(error, errno);
  bool ok = put_beside(s, real, &st, f, error);
  free(real);  // the one block here that the system allocates
  return ok;
}

// Renaming needs neither memory nor room.
bool tenon_os_publish(tenon_os_staged *s, char *error) {
  if (!s->is_there) return true;
  if (rename(s->temp.data, s->path.data) != 0)
    return tenon_os_fail_errno(error, errno);
  s->is_there = false;
  return true;
}

bool tenon_os_make_file(const char *path, const void *data, size_t size,
                        char *error) {
  int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd >= 0 && write_and_close(fd, data, size)) return true;
  return tenon_os_fail_errno(error, errno);
}

void tenon_os_remove_file(const char *path) {
  (void)unlink(path);
}

bool tenon_os_make_one(const char *path, char *error) {
  if (mkdir(path, 0777) == 0) return true;
  int number = errno;
  // Who lost a race, or may not write above, still has the folder.
  if (tenon_os_look(path) == TENON_OS_FOLDER) return true;
  if (number == EEXIST) return tenon_os_fail(error, "not a folder");
  return tenon_os_fail_errno(error, number);
}

bool tenon_os_temp_folder(char *path, size_t size, char *error) {
  const char *base = getenv("TMPDIR");
  if (!base || base[0] != '/') base = "/tmp";
  int count = snprintf(path, size, "%s/tenon-XXXXXX", base);
  if (count < 0 || (size_t)count >= size) {
    return tenon_os_fail(error, "path too long");
  }
  if (!mkdtemp(path)) return tenon_os_fail_errno(error, errno);
  return true;
}

// Removes what is in the folder of a descriptor, and closes it. One descriptor
// is open per level.
static void empty_folder(int fd) {
  DIR *folder = fdopendir(fd);
  if (!folder) {
    close(fd);
    return;
  }
  for (struct dirent *e = readdir(folder); e; e = readdir(folder)) {
    struct stat st;
    if (tenon_os_is_dots(e->d_name)) continue;
    if (fstatat(fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (!S_ISDIR(st.st_mode)) {
      unlinkat(fd, e->d_name, 0);
      continue;
    }
    int below =
        openat(fd, e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (below >= 0) empty_folder(below);
    unlinkat(fd, e->d_name, AT_REMOVEDIR);
  }
  closedir(folder);
}

void tenon_os_remove_folder(const char *path) {
  int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd >= 0) empty_folder(fd);
  rmdir(path);
}

tenon_os_kind tenon_os_look(const char *path) {
  struct stat st;
  if (stat(path, &st) != 0) return TENON_OS_ABSENT;
  return S_ISDIR(st.st_mode) ? TENON_OS_FOLDER : TENON_OS_FILE;
}

bool tenon_os_identity(const char *path, uint64_t id[2]) {
  struct stat st;
  if (stat(path, &st) != 0) return false;
  id[0] = (uint64_t)st.st_dev;
  id[1] = (uint64_t)st.st_ino;
  return true;
}

bool tenon_os_full_path(const char *path, char *out, size_t size) {
  char *full = realpath(path, NULL);
  size_t length = full ? strlen(full) : 0;
  bool fits = full && length < size;
  if (fits) memcpy(out, full, length + 1);
  free(full);
  return fits;
}

bool tenon_os_read_names(const char *path, tenon_os_names *names, char *error) {
  DIR *folder = opendir(path);
  if (!folder) return tenon_os_fail_errno(error, errno);
  bool ok = true;
  for (struct dirent *e = readdir(folder); ok && e; e = readdir(folder))
    ok = tenon_os_add_name(names, e->d_name, error);
  closedir(folder);
  return ok;
}
