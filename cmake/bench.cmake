# Each bench/<name>.cpp is a program of its own: holdfast_bench_<name>.

add_custom_target(holdfast_bench_programs)
# They compare the two databases, so there are none without PostgreSQL.
if(NOT HOLDFAST_POSTGRES)
  return()
endif()
file(GLOB bench_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/bench/*.cpp")
foreach(source IN LISTS bench_sources)
  cmake_path(GET source STEM name)
  set(target holdfast_bench_${name})
  add_executable(${target} "${source}")
  holdfast_compile(${target})
  set_target_properties(${target} PROPERTIES
                        RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bench")
  target_compile_definitions(${target} PRIVATE HOLDFAST_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  target_link_libraries(${target} PRIVATE holdfast_bench holdfast_test_support)
  add_dependencies(holdfast_bench_programs ${target})
endforeach()

# Holdfast's own driver for the comparison with other queues (bench/peers).
if(TARGET holdfast_cli)
  add_executable(holdfast_peer_driver "${PROJECT_SOURCE_DIR}/bench/peers/holdfast_driver.cpp")
  holdfast_compile(holdfast_peer_driver)
  set_target_properties(holdfast_peer_driver PROPERTIES
                        RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bench/peers")
  target_link_libraries(holdfast_peer_driver PRIVATE holdfast_postgres
                        nlohmann_json::nlohmann_json)
endif()
