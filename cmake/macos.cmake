# Builds for macOS by the compiler zig, on another system; script/macos calls it, and makes the
# tools and the libraries.
set(made $ENV{TENON_MACOS})
set(CMAKE_SYSTEM_NAME Darwin)
set(CMAKE_SYSTEM_PROCESSOR $ENV{TENON_MACOS_PROCESSOR})
set(CMAKE_C_COMPILER ${made}/tools/cc)
set(CMAKE_CXX_COMPILER ${made}/tools/c++)
set(CMAKE_AR ${made}/tools/ar CACHE FILEPATH "")
set(CMAKE_RANLIB ${made}/tools/ranlib CACHE FILEPATH "")
# There is none, and nothing here is installed elsewhere than it is linked for.
set(CMAKE_INSTALL_NAME_TOOL /bin/true CACHE FILEPATH "")
# Zig brings headers and stubs of libraries; its linker has neither of these.
set(CMAKE_OSX_SYSROOT "" CACHE STRING "")
set(CMAKE_OSX_DEPLOYMENT_TARGET "" CACHE STRING "")

# Its linker takes a bundle for a program.
set(CMAKE_USER_MAKE_RULES_OVERRIDE ${CMAKE_CURRENT_LIST_DIR}/macos_rules.cmake)

set(CMAKE_FIND_ROOT_PATH ${made}/libraries)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_LIBDIR} ${made}/libraries/lib/pkgconfig)
set(ENV{PKG_CONFIG_SYSROOT_DIR} "")
