// base/system/os_windows.c - files and folders of Windows.
//
// Paths are narrow strings as fopen takes them; the command's manifest makes
// them UTF-8. '/' separates folders in all that is given back, as everywhere in
// Tenon, and in what Windows takes, but for "\\server\share" and "\\?\".
#include "base/system/os_windows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/heap.h"

// --- errors -----------------------------------------------------------------

// The words that POSIX systems have for the same, where there are any.
static const struct {
  DWORD number;
  const char *text;
} known[] = {
    {ERROR_FILE_NOT_FOUND, "no such file or directory"},
    {ERROR_PATH_NOT_FOUND, "no such file or directory"},
    {ERROR_INVALID_NAME, "no such file or directory"},
    {ERROR_ACCESS_DENIED, "permission denied"},
    {ERROR_SHARING_VIOLATION, "another process uses it"},
    {ERROR_USER_MAPPED_FILE, "another process uses it"},
    {ERROR_FILE_EXISTS, "file exists"},
    {ERROR_ALREADY_EXISTS, "file exists"},
    {ERROR_DISK_FULL, "no space left on device"},
    {ERROR_HANDLE_DISK_FULL, "no space left on device"},
    {ERROR_NOT_ENOUGH_MEMORY, "out of memory"},
    {ERROR_OUTOFMEMORY, "out of memory"},
    {ERROR_FILENAME_EXCED_RANGE, "file name too long"},
    {ERROR_BAD_EXE_FORMAT, "is not an image for this processor"},
    {ERROR_MOD_NOT_FOUND, "it, or an image that it needs, is not there"},
};

bool tenon_os_fail_errno(char *error, int number) {
  for (size_t i = 0; i < sizeof known / sizeof *known; ++i)
    if (known[i].number == (DWORD)number)
      return tenon_os_fail(error, known[i].text);
  DWORD size = FormatMessageA(
      FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS, NULL,
      (DWORD)number, MAKELANGID(LANG_ENGLISH, SUBLANG_DEFAULT), error,
      TENON_OS_ERROR, NULL);
  while (size > 0 && strchr(" .\r\n", error[size - 1]))
    error[--size] = 0;
  if (size == 0) snprintf(error, TENON_OS_ERROR, "error %d", number);
  if (size > 1 && error[0] >= 'A' && error[0] <= 'Z' && error[1] >= 'a')
    error[0] = (char)(error[0] - 'A' + 'a');
  return false;
}

bool tenon_os_fail_last(char *error) {
  return tenon_os_fail_errno(error, (int)GetLastError());
}

void tenon_os_use_slashes(char *path) {
  for (; *path; ++path)
    if (*path == '\\') *path = '/';
}

// --- reading ----------------------------------------------------------------

// Files below this are read: one that is mapped cannot be replaced.
#define LEAST_MAPPED (16 << 20)
enum { READ = 1, VIEWED = 2 };  // in `mapped`

static bool read_whole(HANDLE file, size_t size, tenon_os_map *out) {
  char *data = (char *)VirtualAlloc(NULL, size + TENON_OS_PADDING,
                                    MEM_COMMIT | MEM_RESERVE, PAGE_READWRITE);
  size_t done = 0;
  while (data && done < size) {
    size_t left = size - done;
    DWORD count = left > (1 << 30) ? (DWORD)1 << 30 : (DWORD)left;
    if (!ReadFile(file, data + done, count, &count, NULL)) break;
    if (count == 0) SetLastError(ERROR_HANDLE_EOF);
    if (count == 0) break;
    done += count;
  }
  if (data && done == size) {
    *out = (tenon_os_map){data, size, READ};
    return true;
  }
  DWORD number = GetLastError();
  if (data) VirtualFree(data, 0, MEM_RELEASE);
  SetLastError(number);
  return false;
}

static bool view(HANDLE file, size_t size, tenon_os_map *out) {
  HANDLE mapping = CreateFileMappingA(file, NULL, PAGE_READONLY, 0, 0, NULL);
  void *data = mapping ? MapViewOfFile(mapping, FILE_MAP_READ, 0, 0, 0) : NULL;
  DWORD number = GetLastError();
  if (mapping) CloseHandle(mapping);
  SetLastError(number);
  if (data) *out = (tenon_os_map){data, size, VIEWED};
  return data != NULL;
}

static HANDLE open_to_read(const char *path, DWORD flags) {
  return CreateFileA(path, flags ? 0 : GENERIC_READ,
                     FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                     NULL, OPEN_EXISTING, flags, NULL);
}

bool tenon_os_map_file(const char *path, tenon_os_map *out, char *error) {
  static const char nothing[TENON_OS_PADDING] = {0};
  SYSTEM_INFO system;
  LARGE_INTEGER size;
  if (tenon_os_look(path) == TENON_OS_FOLDER)
    return tenon_os_fail(error, "is a folder");
  HANDLE file = open_to_read(path, 0);
  if (file == INVALID_HANDLE_VALUE) return tenon_os_fail_last(error);
  bool ok = false;
  if (GetFileType(file) != FILE_TYPE_DISK) {
    tenon_os_fail(error, "not a regular file");
  } else if (!GetFileSizeEx(file, &size)) {
    tenon_os_fail_last(error);
  } else if ((uint64_t)size.QuadPart > SIZE_MAX / 2) {
    tenon_os_fail(error, "file too large for this machine");
  } else if (size.QuadPart == 0) {
    *out = (tenon_os_map){nothing, 0, 0};
    ok = true;
  } else {
    GetSystemInfo(&system);
    size_t n = (size_t)size.QuadPart, last = n % system.dwPageSize;
    // The zeros behind a view are those of its last page.
    bool is_padded = last != 0 && system.dwPageSize - last >= TENON_OS_PADDING;
    ok = (n >= LEAST_MAPPED && is_padded ? view : read_whole)(file, n, out) ||
         tenon_os_fail_last(error);
  }
  CloseHandle(file);
  return ok;
}

// There they are for those alone who have a right to them.
void tenon_os_offer_pages(void *block, size_t size) {
  (void)block;
  (void)size;
}

void tenon_os_unmap(tenon_os_map *map) {
  void *data = (void *)(uintptr_t)map->data;
  if (map->mapped == READ) (void)VirtualFree(data, 0, MEM_RELEASE);
  if (map->mapped == VIEWED) (void)UnmapViewOfFile(data);
  *map = (tenon_os_map){NULL, 0, 0};
}

// --- writing ----------------------------------------------------------------

static HANDLE open_to_write(const char *path, DWORD how) {
  return CreateFileA(path, GENERIC_WRITE, FILE_SHARE_READ, NULL, how,
                     FILE_ATTRIBUTE_NORMAL, NULL);
}

static bool write_and_close(HANDLE file, const void *data, size_t size) {
  const char *p = (const char *)data;
  bool ok = true;
  while (ok && size != 0) {
    DWORD count = size > (1 << 30) ? (DWORD)1 << 30 : (DWORD)size;
    ok = WriteFile(file, p, count, &count, NULL) != 0;
    p += count;
    size -= ok ? count : 0;
  }
  DWORD number = GetLastError();
  if (!CloseHandle(file) && ok) return false;
  SetLastError(number);
  return ok;
}

static HANDLE open_temp(const char *path, tenon_buf *temp) {
  for (unsigned i = 0; i < 10000; ++i) {
    tenon_buf_clear(temp);
    tenon_buf_format(temp, "%s.%lu.%u.tmp", path, GetCurrentProcessId(), i);
    if (temp->failed) {
      SetLastError(ERROR_NOT_ENOUGH_MEMORY);
      return INVALID_HANDLE_VALUE;
    }
    HANDLE file = open_to_write(temp->data, CREATE_NEW);
    if (file != INVALID_HANDLE_VALUE || GetLastError() != ERROR_FILE_EXISTS)
      return file;
  }
  return INVALID_HANDLE_VALUE;
}

static bool put_beside(tenon_os_staged *s, const tenon_os_content *f,
                       char *error) {
  tenon_buf_text(&s->path, f->path);
  if (s->path.failed) return tenon_os_fail(error, "out of memory");
  HANDLE file = open_temp(f->path, &s->temp);
  if (file == INVALID_HANDLE_VALUE) return tenon_os_fail_last(error);
  s->is_there = true;
  return write_and_close(file, f->data, f->size) || tenon_os_fail_last(error);
}

// NUL, CON and the like are written to.
bool tenon_os_stage(tenon_os_staged *s, const tenon_os_content *f,
                    char *error) {
  switch (tenon_os_look(f->path)) {
    case TENON_OS_FOLDER:
      return tenon_os_fail(error, "is a folder");
    case TENON_OS_FILE: {
      HANDLE file = open_to_write(f->path, OPEN_EXISTING);
      if (file == INVALID_HANDLE_VALUE) return tenon_os_fail_last(error);
      if (GetFileType(file) != FILE_TYPE_DISK)
        return write_and_close(file, f->data, f->size) ||
               tenon_os_fail_last(error);
      CloseHandle(file);
      return put_beside(s, f, error);
    }
    default:
      return put_beside(s, f, error);
  }
}

bool tenon_os_publish(tenon_os_staged *s, char *error) {
  if (!s->is_there) return true;
  if (!MoveFileExA(s->temp.data, s->path.data, MOVEFILE_REPLACE_EXISTING))
    return tenon_os_fail_last(error);
  s->is_there = false;
  return true;
}

void tenon_os_unstage(tenon_os_staged *s) {
  if (s->is_there) (void)DeleteFileA(s->temp.data);
  tenon_buf_deinit(&s->temp);
  tenon_buf_deinit(&s->path);
}

bool tenon_os_make_file(const char *path, const void *data, size_t size,
                        char *error) {
  HANDLE file = open_to_write(path, CREATE_NEW);
  return (file != INVALID_HANDLE_VALUE && write_and_close(file, data, size)) ||
         tenon_os_fail_last(error);
}

void tenon_os_remove_file(const char *path) {
  (void)DeleteFileA(path);
}

// --- folders ----------------------------------------------------------------

bool tenon_os_make_one(const char *path, char *error) {
  if (CreateDirectoryA(path, NULL)) return true;
  int number = (int)GetLastError();
  if (tenon_os_look(path) == TENON_OS_FOLDER) return true;  // a drive, too
  if (number == ERROR_ALREADY_EXISTS || number == ERROR_FILE_EXISTS)
    return tenon_os_fail(error, "not a folder");
  return tenon_os_fail_errno(error, number);
}

bool tenon_os_temp_folder(char *path, size_t size, char *error) {
  char base[MAX_PATH + 1];
  DWORD length = GetTempPathA(sizeof base, base);
  if (length == 0 || length >= sizeof base) return tenon_os_fail_last(error);
  tenon_os_use_slashes(base);
  for (unsigned i = 0; i < 10000; ++i) {
    int count =
        snprintf(path, size, "%stenon-%lu-%llx", base, GetCurrentProcessId(),
                 (unsigned long long)tenon_os_clock() + i);
    if (count < 0 || (size_t)count >= size)
      return tenon_os_fail(error, "path too long");
    if (CreateDirectoryA(path, NULL)) return true;
    if (GetLastError() != ERROR_ALREADY_EXISTS) break;
  }
  return tenon_os_fail_last(error);
}

// Calls `each` with what is in a folder until it says no.
static bool windows_walk(const char *path,
                         bool (*each)(void *self,
                                      const WIN32_FIND_DATAA *found),
                         void *self) {
  WIN32_FIND_DATAA found;
  tenon_buf all;
  tenon_buf_init(&all, tenon_heap());
  tenon_buf_format(&all, "%s/*", path);
  HANDLE search =
      all.failed ? INVALID_HANDLE_VALUE : FindFirstFileA(all.data, &found);
  if (all.failed) SetLastError(ERROR_NOT_ENOUGH_MEMORY);
  DWORD number = GetLastError();
  tenon_buf_deinit(&all);
  SetLastError(number);
  if (search == INVALID_HANDLE_VALUE) return false;
  while (each(self, &found) && FindNextFileA(search, &found))
    continue;
  FindClose(search);
  return true;
}

// A link to a folder is removed, not what it leads to.
static bool remove_one(void *self, const WIN32_FIND_DATAA *found) {
  const char *folder = (const char *)self;
  tenon_buf path;
  if (tenon_os_is_dots(found->cFileName)) return true;
  tenon_buf_init(&path, tenon_heap());
  tenon_buf_format(&path, "%s/%s", folder, found->cFileName);
  if (!path.failed) {
    bool is_folder = found->dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY;
    bool is_link = found->dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT;
    if (found->dwFileAttributes & FILE_ATTRIBUTE_READONLY)
      (void)SetFileAttributesA(path.data, FILE_ATTRIBUTE_NORMAL);
    if (is_folder && !is_link)
      tenon_os_remove_folder(path.data);
    else if (is_folder)
      (void)RemoveDirectoryA(path.data);
    else
      (void)DeleteFileA(path.data);
  }
  tenon_buf_deinit(&path);
  return true;
}

void tenon_os_remove_folder(const char *path) {
  (void)windows_walk(path, remove_one, (void *)(uintptr_t)path);
  (void)RemoveDirectoryA(path);
}

typedef struct listing {
  tenon_os_names *names;
  char *error;
  bool ok;
} listing;

static bool windows_list_one(void *self, const WIN32_FIND_DATAA *found) {
  listing *l = (listing *)self;
  l->ok = tenon_os_add_name(l->names, found->cFileName, l->error);
  return l->ok;
}

bool tenon_os_read_names(const char *path, tenon_os_names *names, char *error) {
  listing l = {names, error, true};
  return windows_walk(path, windows_list_one, &l) ? l.ok
                                                  : tenon_os_fail_last(error);
}

// --- what a path is ---------------------------------------------------------

tenon_os_kind tenon_os_look(const char *path) {
  DWORD is = GetFileAttributesA(path);
  if (is == INVALID_FILE_ATTRIBUTES) return TENON_OS_ABSENT;
  return is & FILE_ATTRIBUTE_DIRECTORY ? TENON_OS_FOLDER : TENON_OS_FILE;
}

bool tenon_os_identity(const char *path, uint64_t id[2]) {
  BY_HANDLE_FILE_INFORMATION info;
  HANDLE file = open_to_read(path, FILE_FLAG_BACKUP_SEMANTICS);
  if (file == INVALID_HANDLE_VALUE) return false;
  bool ok = GetFileInformationByHandle(file, &info) != 0;
  CloseHandle(file);
  if (!ok) return false;
  id[0] = info.dwVolumeSerialNumber;
  id[1] = (uint64_t)info.nFileIndexHigh << 32 | info.nFileIndexLow;
  return true;
}

bool tenon_os_full_path(const char *path, char *out, size_t size) {
  static const char mark[] = "//?/", server[] = "//?/UNC/";
  HANDLE file = open_to_read(path, FILE_FLAG_BACKUP_SEMANTICS);
  if (file == INVALID_HANDLE_VALUE) return false;
  DWORD n = GetFinalPathNameByHandleA(file, out, (DWORD)size, 0);
  CloseHandle(file);
  if (n == 0 || n >= size) return false;
  tenon_os_use_slashes(out);
  bool is_server = strncmp(out, server, sizeof server - 1) == 0;
  size_t skipped = is_server ? sizeof server - 3
                   : strncmp(out, mark, sizeof mark - 1) == 0 ? sizeof mark - 1
                                                              : 0;
  memmove(out, out + skipped, strlen(out + skipped) + 1);
  if (is_server) out[0] = '/';
  return true;
}
