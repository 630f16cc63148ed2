# Makes core_ops.h, a row for each operator that the files of this folder describe:
#
#   cmake -DFOLDER=<this one> -DOUT=<core_ops.h> -P list.cmake
#
# One is described by CORE_OP, CORE_OPERATOR, ... at the beginning of a line or behind
# another macro, or by a macro of the same file that hands its first parameter to one of
# these or to another such macro.
file(GLOB_RECURSE files ${FOLDER}/*.c)
set(names)
foreach(file ${files})
  file(READ ${file} text)
  string(REGEX REPLACE "[][;]" " " text "\n${text}")  # of which CMake makes lists
  string(REGEX REPLACE "\\\\ *\n *" " " text "${text}")
  set(makers "CORE_(OP|OPERATOR|OPERATOR_OF|OPERATOR_OF_ROWS|ELEMENTWISE)")
  string(REGEX MATCHALL "\n#define [A-Z_0-9]+\\([a-z_]+[^\n]*" defines "${text}")
  foreach(define ${defines} ${defines})
    if(define MATCHES "#define ([A-Z_0-9]+)\\(([a-z_]+)[,)].*")
      set(maker ${CMAKE_MATCH_1})
      if(define MATCHES "[ (](${makers})\\( *${CMAKE_MATCH_2} *[,)]")
        string(APPEND makers "|${maker}")
      endif()
    endif()
  endforeach()
  string(REGEX REPLACE "\n#[^\n]*" "" text "${text}")
  string(REGEX MATCHALL "[\n)] *(${makers})\\([ \n]*[a-z0-9_]+" calls "${text}")
  list(TRANSFORM calls REPLACE ".*[ \n(]" "")
  list(APPEND names ${calls})
endforeach()
list(SORT names)
list(REMOVE_DUPLICATES names)
list(TRANSFORM names REPLACE "(.+)" "TENON_CORE_ROW(\\1)\n")
list(JOIN names "" names)
file(WRITE ${OUT}.new "${names}")
file(COPY_FILE ${OUT}.new ${OUT} ONLY_IF_DIFFERENT)
