# Each bench/<name>.cpp is a program of its own: holdfast_bench_<name>.

file(GLOB bench_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/bench/*.cpp")
add_custom_target(holdfast_bench_programs)
foreach(source IN LISTS bench_sources)
  cmake_path(GET source STEM name)
  set(target holdfast_bench_${name})
  add_executable(${target} "${source}")
  holdfast_compile(${target})
  set_target_properties(${target} PROPERTIES
                        RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bench")
  target_link_libraries(${target} PRIVATE holdfast_bench holdfast_test_support)
  add_dependencies(holdfast_bench_programs ${target})
endforeach()
