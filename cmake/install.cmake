# What `cmake --install` puts where: the command, both libraries, the public headers, and
# descriptions for pkg-config and find_package; below share/tenon what is read by people.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# Components are Debian packages (cmake/package.cmake).
install(TARGETS tenon RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tool)
install(TARGETS tenon_all ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
install(TARGETS tenon_shared LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library
                                     NAMELINK_COMPONENT development)
install(DIRECTORY include/tenon DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)

# The prefix is where the file lies, so that what is installed elsewhere, or moved, is found.
file(RELATIVE_PATH pc_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" pc_prefix "${pc_prefix}")
configure_file(cmake/tenon.pc.in tenon.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/tenon.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)

set(folder ${CMAKE_INSTALL_LIBDIR}/cmake/Tenon)
configure_package_config_file(
  cmake/TenonConfig.cmake.in TenonConfig.cmake INSTALL_DESTINATION ${folder}
  PATH_VARS CMAKE_INSTALL_BINDIR CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(TenonConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES cmake/TenonKernels.cmake ${PROJECT_BINARY_DIR}/TenonConfig.cmake ${PROJECT_BINARY_DIR}/TenonConfigVersion.cmake
        DESTINATION ${folder} COMPONENT development)

# What shells complete, and manual pages, of the command's own tables.
if(NOT CMAKE_CROSSCOMPILING)
  set(made ${PROJECT_BINARY_DIR}/made/shell)
  add_custom_command(
    OUTPUT ${made}/tenon ${made}/_tenon ${made}/tenon.fish ${made}/man1/tenon.1
    COMMAND tenon completion bash -o ${made}/tenon
    COMMAND tenon completion zsh -o ${made}/_tenon
    COMMAND tenon completion fish -o ${made}/tenon.fish
    COMMAND tenon completion man -o ${made}/man1
    DEPENDS tenon
    VERBATIM)
  file(MAKE_DIRECTORY ${made})
  add_custom_target(tenon_shell ALL DEPENDS ${made}/tenon)
  # Debian's own packages have a folder that its zsh looks in; `site` is the administrator's.
  set(zsh ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")
    set(zsh ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
  endif()
  install(FILES ${made}/tenon DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT tool)
  install(FILES ${made}/_tenon DESTINATION ${zsh} COMPONENT tool)
  install(FILES ${made}/tenon.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT tool)
  install(DIRECTORY ${made}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT tool)
endif()

# As they lie in the source, so that links lead from one to the other.
set(folder ${CMAKE_INSTALL_DATADIR}/tenon)
install(DIRECTORY docs DESTINATION ${folder} COMPONENT tool)
install(DIRECTORY plugins DESTINATION ${folder} COMPONENT tool PATTERN CMakeLists.txt EXCLUDE)
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT tool)
