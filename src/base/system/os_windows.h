// base/system/os_windows.h - what the two files for Windows share.
#ifndef TENON_BASE_OS_WINDOWS_H
#define TENON_BASE_OS_WINDOWS_H

#define WIN32_LEAN_AND_MEAN
#define _WIN32_WINNT 0x0601
#include <windows.h>

#include "base/system/os_parts.h"

// Fills `error` with the words for GetLastError() and returns false.
bool tenon_os_fail_last(char *error);
void tenon_os_use_slashes(char *path);

#endif  // TENON_BASE_OS_WINDOWS_H
