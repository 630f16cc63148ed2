# Debian packages of a build that was configured with the prefix /usr: `cpack` in it, or script/package.
# The command with pages and plugins, the shared library, and what is needed to build against it.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME tenon)
set(CPACK_PACKAGE_CONTACT "The authors of Tenon <tenon@localhost>" CACHE STRING "Maintainer of packages")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Compiler and runtime for machine-learning models")
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_DEBIAN_TOOL_PACKAGE_NAME tenon)
set(CPACK_DEBIAN_TOOL_PACKAGE_SECTION devel)
# Plugins in C and tests of emitted C need a compiler; running models does not.
set(CPACK_DEBIAN_TOOL_PACKAGE_RECOMMENDS "gcc | c-compiler, libc6-dev | libc-dev")
set(CPACK_COMPONENT_TOOL_DESCRIPTION
    "Compiler and runtime for machine-learning models\nReads .tflite and torch.export programs, runs them, and writes standalone C.\nThis is the command, with its manual pages, completion, documents and plugins.")

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libtenon${PROJECT_VERSION_MAJOR})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION
    "Compiler and runtime for machine-learning models, as a library\nWhat programs that run models with libtenon.so need.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libtenon-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(same "(= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")
# pkg-config asks for what a static link needs; find_package(Tenon) names the command.
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
    "libtenon${PROJECT_VERSION_MAJOR} ${same}, tenon ${same}, libjansson-dev, libyaml-dev, zlib1g-dev")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
    "Compiler and runtime for machine-learning models, to build against\nHeaders, libtenon.a, and descriptions for pkg-config and CMake.")

# Where there is an MPI, the plugin for it: who has none need not install one.
set(packages tool library development)
if(TARGET tenon_plugin_mpi)
  list(APPEND packages mpi)
  set(CPACK_DEBIAN_MPI_PACKAGE_NAME tenon-mpi)
  set(CPACK_DEBIAN_MPI_PACKAGE_SECTION science)
  set(CPACK_DEBIAN_MPI_PACKAGE_DEPENDS "tenon ${same}")
  set(CPACK_DEBIAN_MPI_PACKAGE_RECOMMENDS "openmpi-bin")
  set(CPACK_COMPONENT_MPI_DESCRIPTION
      "Compiler and runtime for machine-learning models, on several processes\nThe plugin for programs of PyTorch with tensor parallelism, on MPI.")
endif()
set(CPACK_COMPONENTS_ALL ${packages})

foreach(package ${packages})
  string(TOUPPER ${package} upper)
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME}
          RENAME copyright COMPONENT ${package} EXCLUDE_FROM_ALL)
endforeach()
include(CPack)
