// How: a large file is mapped, so that what nobody looks at is never read; a
// page of zeros lies behind it, since kernels may read a little past the end.
// Small files, pipes and the like are read.
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"

#define LEAST_MAPPED (1 << 20)

static bool map(int file, size_t size, cli_mapped *out) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  size_t whole = (size + page - 1) / page * page + page;
  int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
  void *at = zero < 0 ? MAP_FAILED
                      : mmap(NULL, whole, PROT_READ, MAP_PRIVATE, zero, 0);
  if (zero >= 0) (void)close(zero);
  if (at == MAP_FAILED) return false;
  if (mmap(at, size, PROT_READ, MAP_PRIVATE | MAP_FIXED, file, 0) ==
      MAP_FAILED) {
    (void)munmap(at, whole);
    return false;
  }
  out->map = at;
  out->map_size = whole;
  out->data = at;
  out->size = size;
  return true;
}

bool cli_map_file(cli *c, const char *path, cli_mapped *out) {
  struct stat s;
  memset(out, 0, sizeof *out);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  bool is_large = file >= 0 && fstat(file, &s) == 0 && S_ISREG(s.st_mode) &&
                  s.st_size >= LEAST_MAPPED;
  bool done = is_large && map(file, (size_t)s.st_size, out);
  if (file >= 0) (void)close(file);
  if (done) return true;
  if (!cli_read_file(c, path, &out->read)) return false;
  out->data = out->read.data;
  out->size = out->read.size;
  return true;
}

void cli_unmap_file(cli_mapped *m) {
  if (m->map) (void)munmap(m->map, m->map_size);
  cli_bytes_free(&m->read);
  memset(m, 0, sizeof *m);
}
