# The kernels for one instruction set each: adds to kern_files and kern_headers of
# the list that includes this those that this compiler builds, and to kern_written
# and kern_emitted the texts of others, which a compiler of another processor
# compiles. The flags of a file follow from the last word of its name; nothing else
# may be compiled with them, since the library runs where they are not known.
set(kern_written)
set(kern_emitted)
set(written_folder ${PROJECT_BINARY_DIR}/made)
set(isa_built)
if(CMAKE_C_COMPILER_ID MATCHES "GNU|Clang" AND CMAKE_SIZEOF_VOID_P EQUAL 8)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|amd64")
    set(isa_built x86)
    target_compile_definitions(tenon_flags INTERFACE TENON_KERN_X86=1)
  elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64|ARM64")
    set(isa_built aarch64)
    target_compile_definitions(tenon_flags INTERFACE TENON_KERN_AARCH64=1)
  endif()
endif()

set(isa_flags_sse2 -msse2)
set(isa_flags_avx2 -mavx2 -mfma)
set(isa_flags_avx512 -mavx512f -mavx512bw -mavx512vl -mavx512dq)
set(isa_flags_avx512vnni ${isa_flags_avx512} -mavx512vnni)
set(isa_flags_neon)
set(isa_flags_dotprod -march=armv8.2-a+dotprod)
set(isa_flags_i8mm -march=armv8.2-a+dotprod+i8mm)
set(isa_widths_x86 sse2 avx2 avx512 avx512vnni)
set(isa_widths_aarch64 neon dotprod i8mm)
# Those for which there is a function of each element.
set(isa_each_x86 sse2 avx2 avx512)
set(isa_each_aarch64 neon)

# Has gcc order instructions before it gives them registers, as clang does: four
# chains at once (opt/each/each_opt.h).
set(isa_chains)
if(CMAKE_C_COMPILER_ID MATCHES "GNU")
  set(isa_chains -fschedule-insns -fsched-pressure)
endif()

# Instrumenting every lane of every tile takes the compiler minutes; addresses
# are checked all the same.
if(TENON_SANITIZE MATCHES "undefined")
  foreach(isa sse2 avx2 avx512 avx512vnni neon dotprod i8mm)
    list(APPEND isa_flags_${isa} -fno-sanitize=undefined)
  endforeach()
endif()

# A kernel for several widths is one row of ranges.def, which says what is written for
# each. Its @unit@ is what a width is called, its @bytes@ the header of products of bytes, its @lanes@
# that of other steps on bytes, its @words@ that of products of 16-bit numbers.
set(isa_unit_sse2 SSE2)
set(isa_unit_avx2 AVX2)
set(isa_unit_avx512 AVX-512)
set(isa_unit_avx512vnni "AVX-512 VNNI")
set(isa_unit_neon NEON)
set(isa_unit_dotprod "NEON's dot products")
set(isa_unit_i8mm "NEON's products of matrices")
set(isa_bytes_avx512 avx512madd)
set(isa_bytes_neon neonpairs)
set(isa_lanes_avx512 bytes_avx512)
set(isa_words_avx512 avx512madd)
set(isa_words_neon neonwords)

# Adds a kernel whose text is written, in kern/, to the lists, and a row to <arch>.def.
macro(tenon_isa_add arch name flags)
  list(APPEND kern_written kern/isa/${arch}/${name}.c)
  string(APPEND isa_def "TENON_KERNEL_ROW(${name}, RANGE)\n")
  if(${arch} STREQUAL "${isa_built}")
    list(APPEND kern_files ${written_folder}/kern/isa/${arch}/${name}.c)
    set_source_files_properties(${written_folder}/kern/isa/${arch}/${name}.c
                                PROPERTIES COMPILE_OPTIONS "${flags}")
  endif()
endmacro()

# The texts of the rows of ranges.def, by operator, and the widths they are written for. Some say how many items there are, for emitted C that asks where sizes
# are open.
foreach(def ranges each arm/texts arm/table)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
                                         ${CMAKE_CURRENT_LIST_DIR}/${def}.def)
endforeach()
set(isa_ops)
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/ranges.def isa_rows REGEX "^TENON_RANGE_")
foreach(row ${isa_rows})
  set(isa_items)
  string(REGEX MATCH "^TENON_RANGE_([A-Z]*)_?ROW\\(([a-z0-9_]+), ([a-z0-9 ]+)" start "${row}")
  set(form "${CMAKE_MATCH_1}")
  set(op ${CMAKE_MATCH_2})
  list(APPEND isa_ops ${op})
  string(REPLACE " " ";" isa_of_${op} "${CMAKE_MATCH_3}")
  if(form STREQUAL "ITEMS")
    string(REGEX MATCH "_opt, (.*), tenon_[a-z0-9_]+_run\\(" count "${row}")
    set(count "${CMAKE_MATCH_1}")
    set(isa_items
        "TENON_INLINE int64_t tenon_k_${op}_@isa@_items(const tenon_call *c) {
  return ${count};
}

")
    string(REPLACE ", ${count}, " ", " row "${row}")
  endif()
  string(REGEX MATCH "^[^,]*,[^,]*, ([a-z]+), ([a-z0-9_/]+), (.*), \"(.*)\"\\)" row "${row}")
  set(isa_text "TENON_KERNEL_RANGE(@kernel@) {\n  return ${CMAKE_MATCH_3};\n}")
  if(form STREQUAL "MACRO")
    set(isa_text "${CMAKE_MATCH_3}")
  endif()
  set(isa_range_${op}
      "// ${op}_@isa@.c - ${CMAKE_MATCH_4}
#include \"kern/isa/@arch@/@${CMAKE_MATCH_1}@.h\"
//
#include \"kern/opt/${CMAKE_MATCH_2}.h\"

${isa_items}${isa_text}
")
endforeach()

file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/each.def isa_each REGEX "^TENON_EACH_ROW")
foreach(arch x86 aarch64)
  set(isa_def)
  foreach(op ${isa_ops})
    foreach(isa ${isa_of_${op}})
      if(NOT isa IN_LIST isa_widths_${arch})
        continue()
      endif()
      set(unit ${isa_unit_${isa}})
      set(kernel tenon_k_${op}_${isa})
      foreach(header bytes lanes words)
        set(${header} ${isa})
        if(DEFINED isa_${header}_${isa})
          set(${header} ${isa_${header}_${isa}})
        endif()
      endforeach()
      file(
        CONFIGURE
        OUTPUT ${written_folder}/kern/isa/${arch}/${op}_${isa}.c
        CONTENT "${isa_range_${op}}"
        @ONLY)
      set(isa_flags ${isa_flags_${isa}})
      if(op MATCHES "softmax")
        list(APPEND isa_flags ${isa_chains})
      endif()
      tenon_isa_add(${arch} ${op}_${isa} "${isa_flags}")
    endforeach()
  endforeach()

  # The rows of each.def, written for each type and width.
  foreach(row ${isa_each})
    string(REGEX MATCH "\\(([a-z0-9_]+), ([A-Z]+), ([a-z0-9_/]+), [a-z]+\\)" row ${row})
    set(op ${CMAKE_MATCH_1})
    set(form ${CMAKE_MATCH_2})
    set(header ${CMAKE_MATCH_3})
    foreach(type f32 f16 bf16)
      foreach(isa ${isa_each_${arch}})
        set(name ${op}_${type}_${isa})
        file(
          CONFIGURE
          OUTPUT ${written_folder}/kern/isa/${arch}/${name}.c
          CONTENT
            "// ${name}.c - ${op} of ${type}, a register at a time.
#include \"kern/isa/${arch}/${isa}.h\"
//
#include \"kern/opt/each/each_opt.h\"
#include \"kern/opt/${header}.h\"

TENON_${form}_VECTOR(tenon_k_${name}, ${type}, tenon_vf_${op})
")
        tenon_isa_add(${arch} ${name} "${isa_flags_${isa}};${isa_chains}")
      endforeach()
    endforeach()
  endforeach()
  file(CONFIGURE OUTPUT ${written_folder}/kern/isa/${arch}/${arch}.def CONTENT "${isa_def}" @ONLY)
  file(GLOB isa_headers CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR}
       ${CMAKE_CURRENT_LIST_DIR}/${arch}/*.h)
  list(APPEND kern_headers ${isa_headers})
endforeach()

file(GLOB isa_headers CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} opt/*.h opt/*/*.h)
list(APPEND kern_headers ${isa_headers})

# Texts for emission alone, whatever machine this is: a compiler of another
# processor compiles them. Those of a few lines are rows of texts.def, functions of a
# byte rows of table.def.
function(tenon_isa_arm_text name about headers text)
  set(kernel tenon_k_${name})
  set(includes)
  foreach(header ${headers})
    string(APPEND includes "#include \"kern/isa/arm/${header}\"\n")
  endforeach()
  file(
    CONFIGURE
    OUTPUT ${written_folder}/kern/isa/arm/${isa}/${name}.c
    CONTENT "// ${name}.c - ${about}\n${includes}\n${text}\n"
    @ONLY)
  list(APPEND kern_written kern/isa/arm/${isa}/${name}.c)
  set(kern_written ${kern_written} PARENT_SCOPE)
endfunction()

set(arm_names)
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/arm/texts.def isa_rows REGEX "^TENON_ARM_")
foreach(row ${isa_rows})
  string(REGEX MATCH "_([A-Z]+)\\(([a-z0-9_]+), ([a-z ]+), \"(.*)\", \"(.*)\", \"(.*)\"\\)$" row "${row}")
  set(op ${CMAKE_MATCH_2})
  string(REPLACE " " ";" features "${CMAKE_MATCH_3}")
  string(REPLACE "\\n" "\n" about "${CMAKE_MATCH_4}")
  string(REPLACE " " ";" headers "${CMAKE_MATCH_5}")
  set(text "${CMAKE_MATCH_6}")
  if(CMAKE_MATCH_1 STREQUAL "RANGE")
    set(text "TENON_KERNEL_RANGE(@kernel@) {\\n  ${text}\\n}")
  endif()
  string(REPLACE "\\n" "\n" text "${text}")
  string(REPLACE "\\\"" "\"" text "${text}")
  foreach(isa ${features})
    tenon_isa_arm_text(${op}_${isa} "${about}" "${headers}" "${text}")
    list(APPEND arm_names ${op}_${isa})
  endforeach()
endforeach()
file(GLOB isa_files CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR}
     ${CMAKE_CURRENT_LIST_DIR}/arm/*/*.c)
list(APPEND kern_emitted ${isa_files})
foreach(file ${isa_files})
  get_filename_component(name ${file} NAME_WE)
  list(APPEND arm_names ${name})
endforeach()
list(SORT arm_names)
list(TRANSFORM arm_names REPLACE "(.+)" "TENON_KERNEL_ROW(\\1, RANGE)\n")
list(JOIN arm_names "" arm_names)
file(CONFIGURE OUTPUT ${written_folder}/kern/isa/arm/arm.def CONTENT "${arm_names}" @ONLY)
file(GLOB isa_headers CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR}
     ${CMAKE_CURRENT_LIST_DIR}/arm/*.h ${CMAKE_CURRENT_LIST_DIR}/arm/*/*.h)
list(APPEND kern_headers ${isa_headers})

file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/arm/table.def isa_rows REGEX "^TENON_TABLE_ROW")
foreach(row ${isa_rows})
  string(REGEX MATCH "\\(([a-z0-9_]+), ([a-z]+)," row "${row}")
  set(isa ${CMAKE_MATCH_2})
  tenon_isa_arm_text(
    ${CMAKE_MATCH_1}_${isa} "bytes by what a table has for them. Bit for bit what\n// ${CMAKE_MATCH_1}_ref.c computes."
    ${isa}/table_${isa}.h "TENON_TABLE_${isa}(@kernel@)")
endforeach()
