# The texts below sql/ are checked and embedded at build time.

# Adds the generated tables (sql_tables.cpp) and names (store/sql_names.hpp) to `target`.
function(holdfast_embed_sql target)
  file(GLOB tool_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/store/embed/*.cpp")
  add_executable(holdfast_embed_sql ${tool_sources})
  holdfast_compile(holdfast_embed_sql)
  target_include_directories(holdfast_embed_sql PRIVATE "${PROJECT_SOURCE_DIR}/src")

  set(generated "${PROJECT_BINARY_DIR}/generated")
  file(MAKE_DIRECTORY "${generated}/store")  # Ninja makes it, Make does not
  file(GLOB texts CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/sql/*.sql"
       "${PROJECT_SOURCE_DIR}/sql/migrations/*.sql")
  add_custom_command(
    OUTPUT "${generated}/store/sql_names.hpp" "${generated}/store/sql_tables.cpp"
    COMMAND holdfast_embed_sql "${PROJECT_SOURCE_DIR}/sql" "${generated}/store"
    DEPENDS holdfast_embed_sql ${texts}
    COMMENT "Embedding sql/"
    VERBATIM)
  target_sources(${target} PRIVATE "${generated}/store/sql_names.hpp"
                 "${generated}/store/sql_tables.cpp")
  target_include_directories(${target} PUBLIC "${generated}")
endfunction()
