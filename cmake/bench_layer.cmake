# What `holdfast bench` and the programs below bench/ share: on top of the library, not part of it.

file(GLOB bench_layer_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/bench/*.cpp")
if(NOT HOLDFAST_POSTGRES)
  list(FILTER bench_layer_sources EXCLUDE REGEX "/postgres_[^/]*\\.cpp$")
endif()
holdfast_add_layer(holdfast_bench SOURCES ${bench_layer_sources} USES worker SQLite::SQLite3)
if(HOLDFAST_POSTGRES)
  target_link_libraries(holdfast_bench PUBLIC holdfast_db_postgres PostgreSQL::PostgreSQL)
  target_compile_definitions(holdfast_bench PUBLIC HOLDFAST_WITH_POSTGRES)
endif()
