# Kernels of a project's own, from find_package(Tenon):
#
#   tenon_kernel_library(mul BINDINGS custom_ops.yaml [SOURCES custom_ops.c ...] [STATIC])
#
# binds the C functions that a YAML file names (docs/bindings.md) and makes a plugin of them:
# a module that `--plugin` and tenon_context_load take, or with STATIC a library whose
# tenon_plugin_entry_<name of the file> an application links and adds. SOURCES are the files that
# the YAML names, whose change makes it anew. A function that is missing or does not fit is an
# error of the build.

# The command, and where its headers are; TenonConfig.cmake sets both.
set(TENON_EXECUTABLE "" CACHE FILEPATH "The tenon command")
set(TENON_INCLUDE_DIR "" CACHE PATH "The folder with tenon/tenon.h")

function(tenon_kernel_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "STATIC" "BINDINGS" "SOURCES")
  if(NOT arg_BINDINGS OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "tenon_kernel_library(${name} BINDINGS file.yaml [SOURCES ...] [STATIC]): "
                        "found '${ARGN}'")
  endif()
  set(depends)
  foreach(file ${arg_BINDINGS} ${arg_SOURCES})
    get_filename_component(path ${file} ABSOLUTE BASE_DIR ${CMAKE_CURRENT_SOURCE_DIR})
    list(APPEND depends ${path})
  endforeach()
  list(GET depends 0 bindings)
  set(glue ${CMAKE_CURRENT_BINARY_DIR}/${name}_glue.c)
  add_custom_command(
    OUTPUT ${glue}
    COMMAND ${TENON_EXECUTABLE} bind ${bindings} -o ${glue}
    DEPENDS ${depends}
    VERBATIM)
  if(arg_STATIC)
    add_library(${name} STATIC ${glue})
    target_compile_definitions(${name} PRIVATE TENON_STATIC_PLUGINS)
  else()
    add_library(${name} MODULE ${glue})
    set_target_properties(${name} PROPERTIES PREFIX "")
  endif()
  target_include_directories(${name} PUBLIC ${TENON_INCLUDE_DIR})
  set_target_properties(${name} PROPERTIES C_STANDARD 11 POSITION_INDEPENDENT_CODE ON)
  target_compile_options(${name} PRIVATE -ffp-contract=off)
endfunction()
