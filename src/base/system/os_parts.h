// base/system/os_parts.h - what the files behind os.h share: os.c has what is
// the same on all systems, over what each has a file of its own for.
#ifndef TENON_BASE_OS_PARTS_H
#define TENON_BASE_OS_PARTS_H

#include "base/buf.h"
#include "base/os.h"
#include "base/vec.h"

// Fills `error` with a text, or with the system's words for `number` (errno, or
// what GetLastError gives), and returns false.
bool tenon_os_fail(char *error, const char *text);
bool tenon_os_fail_errno(char *error, int number);

bool tenon_os_is_dots(const char *name);
bool tenon_os_make_one(const char *path, char *error);  // of each system

// A file under its temporary name, and what it is to be called.
typedef struct tenon_os_staged {
  tenon_buf temp, path;
  bool is_there;  // under its temporary name
} tenon_os_staged;
// Of each system: writes the file into a folder that is there; gives it its
// name, which needs neither memory nor room; removes what is left, also after a
// failure.
bool tenon_os_stage(tenon_os_staged *s, const tenon_os_content *f, char *error);
bool tenon_os_publish(tenon_os_staged *s, char *error);
void tenon_os_unstage(tenon_os_staged *s);

// Names in a folder, in memory of their own.
typedef TENON_VEC(char *) tenon_os_names;
bool tenon_os_read_names(const char *path, tenon_os_names *names, char *error);
bool tenon_os_add_name(tenon_os_names *names, const char *name, char *error);

// The file of tenon_os_home; of each system.
bool tenon_os_image(int i, char *path, size_t size);

// Adds what a program said, within the limit. False: out of memory.
bool tenon_os_keep(const tenon_allocator *allocator, tenon_os_pipe *pipe,
                   const char *data, size_t size);

#endif  // TENON_BASE_OS_PARTS_H
