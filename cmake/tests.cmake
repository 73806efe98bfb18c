# One program for each folder below tests/. A program runs as a whole, or in a few shards: its tests
# share a private PostgreSQL, which would otherwise be made and started for every single one.

find_package(rapidcheck REQUIRED)

set(results "${PROJECT_BINARY_DIR}/test-results")
file(MAKE_DIRECTORY "${results}")

# holdfast_tests(<folder> TIMEOUT <seconds> [SHARDS <count>] [SERIAL] [WITHOUT_LIBRARY]
#                [USES <target>...] [ENVIRONMENT NAME=value...])
function(holdfast_tests folder)
  cmake_parse_arguments(arg "SERIAL;WITHOUT_LIBRARY" "TIMEOUT;SHARDS" "ENVIRONMENT;USES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/${folder}/*.cpp")
  if(NOT TARGET holdfast_cli_parts)
    list(FILTER sources EXCLUDE REGEX "/cli_[^/]*\\.cpp$")
  endif()
  if(NOT TARGET holdfast_bench)
    list(FILTER sources EXCLUDE REGEX "/bench_[^/]*\\.cpp$")
  endif()
  if(NOT sources)
    return()
  endif()
  set(target holdfast_${folder}_tests)
  add_executable(${target} ${sources})
  holdfast_compile(${target})
  target_compile_definitions(${target} PRIVATE HOLDFAST_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  if(arg_WITHOUT_LIBRARY)
    target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/tests")
    target_link_libraries(${target} PRIVATE GTest::gmock)
  else()
    target_link_libraries(${target} PRIVATE holdfast_test_support ${arg_USES} rapidcheck)
  endif()
  if(NOT EXISTS "${PROJECT_SOURCE_DIR}/tests/${folder}/main.cpp")
    target_link_libraries(${target} PRIVATE GTest::gtest_main)
  endif()
  if(NOT arg_SHARDS)
    set(arg_SHARDS 1)
  endif()
  foreach(shard RANGE 1 ${arg_SHARDS})
    set(name ${folder})
    if(arg_SHARDS GREATER 1)
      set(name ${folder}-${shard})
    endif()
    math(EXPR index "${shard} - 1")
    add_test(NAME ${name} COMMAND ${target})
    set_tests_properties(${name} PROPERTIES TIMEOUT ${arg_TIMEOUT} LABELS ${folder}
                         RUN_SERIAL "${arg_SERIAL}")
    set_property(TEST ${name} PROPERTY ENVIRONMENT ${arg_ENVIRONMENT}
                 GTEST_TOTAL_SHARDS=${arg_SHARDS} GTEST_SHARD_INDEX=${index}
                 "GTEST_OUTPUT=xml:${results}/${name}.xml" GTEST_COLOR=no)
  endforeach()
endfunction()

set(cli_parts)
if(TARGET holdfast_cli_parts)
  set(cli_parts holdfast_cli_parts)
endif()
set(bench_layer)
if(TARGET holdfast_bench)
  set(bench_layer holdfast_bench)
endif()
set(program "HOLDFAST_BINARY=${PROJECT_BINARY_DIR}/holdfast")
holdfast_tests(unit TIMEOUT 600 USES ${cli_parts})
holdfast_tests(conformance TIMEOUT 1200 SHARDS 2 USES ${bench_layer} ENVIRONMENT ${program})
holdfast_tests(simulation TIMEOUT 1200)
holdfast_tests(crash TIMEOUT 1800 SERIAL USES ${cli_parts} ENVIRONMENT ${program})
holdfast_tests(package TIMEOUT 1200 SERIAL WITHOUT_LIBRARY)
holdfast_tests(tidy TIMEOUT 120 WITHOUT_LIBRARY)
foreach(folder IN ITEMS conformance crash)
  if(TARGET holdfast_${folder}_tests AND TARGET holdfast_cli)
    add_dependencies(holdfast_${folder}_tests holdfast_cli)
  endif()
endforeach()
if(TARGET holdfast_package_tests)
  set(launcher "${HOLDFAST_CCACHE}")
  set(flags)
  if(NOT launcher)
    set(launcher)
  endif()
  if(HOLDFAST_SANITIZE)
    set(flags "-fsanitize=${HOLDFAST_SANITIZE}")
  endif()
  target_compile_definitions(holdfast_package_tests PRIVATE
    HOLDFAST_BINARY_DIR="${PROJECT_BINARY_DIR}"
    HOLDFAST_CMAKE="${CMAKE_COMMAND}" HOLDFAST_GENERATOR="${CMAKE_GENERATOR}"
    HOLDFAST_COMPILER="${CMAKE_CXX_COMPILER}" HOLDFAST_CCACHE="${launcher}"
    HOLDFAST_FLAGS="${flags}")
  # What `cmake --install` takes must be there.
  foreach(installed IN ITEMS holdfast holdfast_postgres holdfast_cli)
    if(TARGET ${installed})
      add_dependencies(holdfast_package_tests ${installed})
    endif()
  endforeach()
endif()

if(TARGET holdfast_tidy_tests)
  target_include_directories(holdfast_tidy_tests PRIVATE "${PROJECT_SOURCE_DIR}/include"
                             "${PROJECT_SOURCE_DIR}/src")
  # The checks of the build step that embeds sql/.
  target_sources(holdfast_tidy_tests PRIVATE
                 "${PROJECT_SOURCE_DIR}/src/store/embed/sql_text.cpp"
                 "${PROJECT_SOURCE_DIR}/src/store/embed/statement_files.cpp"
                 "${PROJECT_SOURCE_DIR}/src/store/embed/migration_files.cpp")
  # Every public header, alone and twice.
  file(GLOB headers CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}/include"
       "${PROJECT_SOURCE_DIR}/include/holdfast/*.hpp")
  foreach(header IN LISTS headers)
    cmake_path(GET header STEM name)
    set(alone "${PROJECT_BINARY_DIR}/generated/alone/${name}.cpp")
    file(CONFIGURE OUTPUT "${alone}" CONTENT "#include \"@header@\"\n#include \"@header@\"\n"
         @ONLY)
    target_sources(holdfast_tidy_tests PRIVATE "${alone}")
  endforeach()
endif()
