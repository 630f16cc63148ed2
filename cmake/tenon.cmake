# Helpers for the lists of files in src/ and tests/.

# What every file of this project is compiled with. Contraction is off: a kernel
# that wants a fused multiply-add writes fmaf, and so the bits do not depend on
# the compiler's mood.
add_library(tenon_flags INTERFACE)
# made/ has headers that a tool makes when this is built (target tenon_made).
target_include_directories(
  tenon_flags INTERFACE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src
                        ${PROJECT_BINARY_DIR}/made)
target_include_directories(tenon_flags SYSTEM INTERFACE ${JANSSON_INCLUDE_DIRS} ${YAML_INCLUDE_DIRS})
target_compile_options(tenon_flags INTERFACE ${YAML_CFLAGS_OTHER})
target_compile_definitions(tenon_flags INTERFACE _POSIX_C_SOURCE=200809L
                                                 TENON_VERSION="${PROJECT_VERSION}")
target_compile_options(
  tenon_flags
  INTERFACE -Wall
            -Wextra
            -Wconversion
            -Wshadow
            -Wstrict-prototypes
            -Wmissing-prototypes
            -Wpointer-arith
            -Wwrite-strings
            -ffp-contract=off
            -fno-strict-aliasing)
if(WIN32)
  # isnan and its like are macros over float and double there.
  target_compile_options(tenon_flags INTERFACE -Wno-float-conversion)
endif()
if(TENON_WERROR)
  target_compile_options(tenon_flags INTERFACE -Werror)
endif()
if(TENON_STRESS)
  target_compile_definitions(tenon_flags INTERFACE TENON_STRESS=1)
endif()
if(TENON_SANITIZE)
  target_compile_options(tenon_flags INTERFACE -fsanitize=${TENON_SANITIZE}
                                               -fno-omit-frame-pointer)
  target_link_options(tenon_flags INTERFACE -fsanitize=${TENON_SANITIZE})
  if(TENON_SANITIZE MATCHES "undefined")
    target_compile_options(tenon_flags INTERFACE -fno-sanitize-recover=all)
    if(CMAKE_C_COMPILER_ID MATCHES "Clang")
      # It reports zero added to a null pointer, which C2y defines (N3322); gcc's check of the
      # same name does not, and runs in the preset `stress`.
      target_compile_options(tenon_flags INTERFACE -fno-sanitize=pointer-overflow)
    endif()
  endif()
endif()
if(TENON_COVERAGE)
  target_compile_options(tenon_flags INTERFACE --coverage)
  target_link_options(tenon_flags INTERFACE --coverage)
endif()
if(TENON_FUZZ)
  target_compile_options(tenon_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
# About a hundred test programs have the whole library in them.
set(TENON_LINKER "" CACHE STRING "linker for programs and tests where there is one: gold, lld, mold")
if(TENON_LINKER)
  find_program(TENON_LINKER_PROGRAM ld.${TENON_LINKER})
  if(TENON_LINKER_PROGRAM)
    target_link_options(tenon_flags INTERFACE -fuse-ld=${TENON_LINKER})
  endif()
endif()

# tenon_layer(emit): all C files of src/emit and of the folders in it, as tenon_emit; the folder is
# the list. EXCEPT leaves out those whose path fits, FILES names them instead.
function(tenon_layer name)
  cmake_parse_arguments(layer "" "EXCEPT" "FILES" ${ARGN})
  if(NOT layer_FILES)
    file(GLOB_RECURSE layer_FILES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.c)
    if(layer_EXCEPT)
      list(FILTER layer_FILES EXCLUDE REGEX "${layer_EXCEPT}")
    endif()
  endif()
  add_library(tenon_${name} OBJECT ${layer_FILES})
  target_link_libraries(tenon_${name} PRIVATE tenon_flags)
  # A static link with --gc-sections leaves out what its program never reaches.
  target_compile_options(tenon_${name} PRIVATE -ffunction-sections -fdata-sections)
  add_dependencies(tenon_${name} tenon_made)
  target_sources(tenon_objects INTERFACE $<TARGET_OBJECTS:tenon_${name}>)
endfunction()

# tenon_tool(tenon_embed tools/embed.c): a program that the build runs. Where nothing that is built
# here runs here, it is in the folder TENON_TOOLS, made for this machine.
set(TENON_TOOLS "" CACHE PATH "programs of tools/ for this machine, by name")
function(tenon_tool name source)
  if(TENON_TOOLS)
    add_executable(${name} IMPORTED GLOBAL)
    set_target_properties(${name} PROPERTIES IMPORTED_LOCATION ${TENON_TOOLS}/${name})
  else()
    add_executable(${name} ${source})
  endif()
endfunction()

# tenon_unit_test(base arena_test.c ...): one binary of cmocka tests per layer.
function(tenon_unit_test layer)
  add_executable(${layer}_test ${ARGN})
  target_link_libraries(${layer}_test PRIVATE tenon_flags tenon_harness tenon_inside PkgConfig::CMOCKA)
  target_include_directories(${layer}_test PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  # What is tested is optimised; the tests themselves are compiled in less than half the time so.
  if(NOT TENON_SANITIZE)
    target_compile_options(${layer}_test PRIVATE $<$<CONFIG:RelWithDebInfo>:-O0>)
  endif()
  add_test(NAME unit/${layer} COMMAND ${layer}_test)
endfunction()
