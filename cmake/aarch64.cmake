# Builds for Linux on 64-bit Arm by Debian's cross compiler; script/aarch64 calls it, and makes
# the libraries of which only Debian's own Arm has packages.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)

set(libraries ${CMAKE_CURRENT_LIST_DIR}/../build-aarch64/libraries)
set(CMAKE_FIND_ROOT_PATH ${libraries} /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_LIBDIR} ${libraries}/lib/pkgconfig)
set(ENV{PKG_CONFIG_SYSROOT_DIR} "")
# The library of C is where the cross compiler has it. What an emulator cannot do, tests skip
# there, with its reason.
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64;-E;TENON_TEST_EMULATED=1;-L;/usr/aarch64-linux-gnu)
