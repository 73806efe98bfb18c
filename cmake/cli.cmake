# The program `holdfast`, at the top of the build tree.

find_package(fmt REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)

# Everything but main is a library, so that unit tests reach the parts.
file(GLOB cli_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/cli/*.cpp")
list(FILTER cli_sources EXCLUDE REGEX "/main\\.cpp$")
if(cli_sources)
  holdfast_add_layer(holdfast_cli_parts SOURCES ${cli_sources}
                     USES bench worker fmt::fmt CLI11::CLI11
                          nlohmann_json::nlohmann_json)
  if(HOLDFAST_POSTGRES)
    target_link_libraries(holdfast_cli_parts PRIVATE holdfast_db_postgres)
    target_compile_definitions(holdfast_cli_parts PRIVATE HOLDFAST_WITH_POSTGRES)
  endif()

  add_executable(holdfast_cli "${PROJECT_SOURCE_DIR}/src/cli/main.cpp")
  holdfast_compile(holdfast_cli)
  set_target_properties(holdfast_cli PROPERTIES OUTPUT_NAME holdfast
                        RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
  target_link_libraries(holdfast_cli PRIVATE holdfast_cli_parts)
endif()
