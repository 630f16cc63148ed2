# Behind what CMake knows of the system (macos.cmake): an image that is loaded is a library.
set(CMAKE_SHARED_MODULE_CREATE_C_FLAGS "-dynamiclib")
