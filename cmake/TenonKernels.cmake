# Kernels of a project's own, from find_package(Tenon):
#
#   tenon_kernel_library(mul BINDINGS custom_ops.yaml [SOURCES custom_ops.c ...] [STATIC])
#
# binds the C functions that a YAML file names (docs/bindings.md) and makes a plugin of them:
# a module that `--plugin` and tenon_context_load take, or with STATIC a library whose
# tenon_plugin_entry_<name of the file> an application links and adds. SOURCES are the files that
# the YAML names, whose change makes it anew. A function that is missing or does not fit is an
# error of the build.

#   tenon_select_ops(selected [OPS core::softmax ...] [MODELS kws.tflite ...] [MANIFESTS F ...]
#                    [DTYPES f32 ...] [TARGET c] [PLUGINS ops.yaml ...] [FLAGS --shape x=1x8 ...])
#
# chooses kernels (docs/select.md) and makes a library of the source that names them. What links it
# has tenon_selected.h, and of Tenon the kernels that were chosen. The choice is made anew when one
# of the files changes; an operator without a kernel is an error of the build. FLAGS are more flags
# of `tenon select`.

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
  if(arg_STATIC)
    target_compile_options(${name} PRIVATE -ffunction-sections -fdata-sections)
  endif()
endfunction()

# Adds files as paths: to the words of a command, behind a flag that stands once or before EACH,
# and to what the command depends on. The last two are names of variables.
function(tenon_add_files flag each files words_name depends_name)
  set(words ${${words_name}})
  set(depends ${${depends_name}})
  foreach(file ${files})
    get_filename_component(path ${file} ABSOLUTE BASE_DIR ${CMAKE_CURRENT_SOURCE_DIR})
    list(APPEND depends ${path})
    list(APPEND words ${flag} ${path})
    if(NOT each)
      set(flag)
    endif()
  endforeach()
  set(${words_name} ${words} PARENT_SCOPE)
  set(${depends_name} ${depends} PARENT_SCOPE)
endfunction()

function(tenon_select_ops name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TARGET" "OPS;MODELS;MANIFESTS;DTYPES;PLUGINS;FLAGS")
  if(arg_UNPARSED_ARGUMENTS OR NOT (arg_OPS OR arg_MODELS OR arg_MANIFESTS))
    message(FATAL_ERROR "tenon_select_ops(${name} [OPS ...] [MODELS ...] [MANIFESTS ...] [DTYPES ...] "
                        "[TARGET t] [PLUGINS ...] [FLAGS ...]): found '${ARGN}'")
  endif()
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${name})
  set(select_words ${TENON_EXECUTABLE} select -o ${folder})
  set(select_depends ${TENON_EXECUTABLE})
  foreach(flag ops dtypes)
    string(TOUPPER ${flag} words)
    if(arg_${words})
      list(JOIN arg_${words} "," words)
      list(APPEND select_words --${flag} ${words})
    endif()
  endforeach()
  if(arg_TARGET)
    list(APPEND select_words --target ${arg_TARGET})
  endif()
  tenon_add_files(--models FALSE "${arg_MODELS}" select_words select_depends)
  tenon_add_files(--manifest TRUE "${arg_MANIFESTS}" select_words select_depends)
  tenon_add_files(--plugin TRUE "${arg_PLUGINS}" select_words select_depends)
  # The files stay as they are when the choice does: what is made of them is then not made again.
  add_custom_command(
    OUTPUT ${folder}/stamp
    BYPRODUCTS ${folder}/tenon_selected.c ${folder}/tenon_selected.h ${folder}/tenon_selected.yaml
    COMMAND ${select_words} ${arg_FLAGS}
    COMMAND ${CMAKE_COMMAND} -E touch ${folder}/stamp
    DEPENDS ${select_depends}
    COMMENT "Selecting kernels for ${name}"
    VERBATIM)
  add_library(${name} STATIC ${folder}/tenon_selected.c ${folder}/stamp)
  set_source_files_properties(${folder}/tenon_selected.c PROPERTIES GENERATED TRUE)
  target_include_directories(${name} PUBLIC ${folder} ${TENON_INCLUDE_DIR})
  set_target_properties(${name} PROPERTIES C_STANDARD 11 POSITION_INDEPENDENT_CODE ON)
  if(TARGET tenon::runtime)
    target_link_libraries(${name} PUBLIC tenon::runtime)
  endif()
endfunction()
