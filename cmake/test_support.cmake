# What tests and benchmarks share: databases of their own, a private PostgreSQL, faults, waiting.

find_package(GTest REQUIRED)

file(GLOB support_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/support/*.cpp")
holdfast_add_layer(holdfast_test_support SOURCES ${support_sources} USES worker GTest::gmock)
get_target_property(type holdfast_test_support TYPE)
if(type STREQUAL "STATIC_LIBRARY")
  set(scope PUBLIC)
else()
  set(scope INTERFACE)
endif()
target_include_directories(holdfast_test_support ${scope} "${PROJECT_SOURCE_DIR}/tests")
if(HOLDFAST_POSTGRES)
  target_link_libraries(holdfast_test_support ${scope} holdfast_db_postgres PostgreSQL::PostgreSQL)
  target_compile_definitions(holdfast_test_support ${scope} HOLDFAST_WITH_POSTGRES)
endif()
