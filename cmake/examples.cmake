# Each examples/<name>/ with a CMakeLists.txt is a project of its own that also builds on its own
# against an installed Holdfast. The program lands in <build>/examples/<name>.

file(GLOB example_projects CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/examples/*/CMakeLists.txt")
foreach(project IN LISTS example_projects)
  cmake_path(GET project PARENT_PATH folder)
  cmake_path(GET folder FILENAME name)
  set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/examples")
  add_subdirectory("${folder}" "${PROJECT_BINARY_DIR}/examples.parts/${name}")
  unset(CMAKE_RUNTIME_OUTPUT_DIRECTORY)
endforeach()
