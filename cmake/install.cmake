# `cmake --install`: the program, the headers, the libraries and what find_package(holdfast) reads.

include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/holdfast")
set(libraries)
foreach(library IN ITEMS holdfast holdfast_postgres)
  if(TARGET ${library})
    list(APPEND libraries ${library})
  endif()
endforeach()

# All that an install needs; with the tests left out.
add_custom_target(holdfast_installed)
foreach(part IN ITEMS ${libraries} holdfast_cli)
  if(TARGET ${part})
    add_dependencies(holdfast_installed ${part})
  endif()
endforeach()

if(libraries)
  install(TARGETS ${libraries} EXPORT holdfast_targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT holdfast_targets NAMESPACE holdfast:: DESTINATION ${package_dir})
endif()
if(TARGET holdfast_cli)
  install(TARGETS holdfast_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(DIRECTORY include/holdfast DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

configure_package_config_file(cmake/holdfast_config.cmake.in
                              "${PROJECT_BINARY_DIR}/holdfast-config.cmake"
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file("${PROJECT_BINARY_DIR}/holdfast-config-version.cmake"
                                 COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/holdfast-config.cmake"
              "${PROJECT_BINARY_DIR}/holdfast-config-version.cmake" DESTINATION ${package_dir})
