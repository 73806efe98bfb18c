# The program `holdfast`, at the top of the build tree.

find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)

file(GLOB cli_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/cli/*.cpp")
if(cli_sources)
  add_executable(holdfast_cli ${cli_sources})
  holdfast_compile(holdfast_cli)
  set_target_properties(holdfast_cli PROPERTIES OUTPUT_NAME holdfast
                        RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
  target_link_libraries(holdfast_cli PRIVATE holdfast_worker fmt::fmt spdlog::spdlog CLI11::CLI11
                        nlohmann_json::nlohmann_json)
  if(HOLDFAST_POSTGRES)
    target_link_libraries(holdfast_cli PRIVATE holdfast_db_postgres)
    target_compile_definitions(holdfast_cli PRIVATE HOLDFAST_WITH_POSTGRES)
  endif()
endif()
