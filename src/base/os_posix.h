// base/os_posix.h - what the two files behind os.h share.
#ifndef TENON_BASE_OS_POSIX_H
#define TENON_BASE_OS_POSIX_H

#include "base/os.h"

// Fills `error` with a text, or with the system's words for `number` (errno),
// and returns false.
bool tenon_os_fail(char *error, const char *text);
bool tenon_os_fail_errno(char *error, int number);

#endif  // TENON_BASE_OS_POSIX_H
