# One static library for each folder below src/, and the two libraries that are installed: they are
# made of the same objects, so a consumer sees one archive and not our inner structure.

# Adds the library `target`; without sources yet it is an empty interface, so that a folder that
# is still to be written does not break the others.
function(holdfast_add_layer target)
  cmake_parse_arguments(arg "" "" "SOURCES;USES" ${ARGN})
  if(arg_SOURCES)
    add_library(${target} STATIC ${arg_SOURCES})
    holdfast_compile(${target})
    set_target_properties(${target} PROPERTIES UNITY_BUILD "${HOLDFAST_UNITY}"
                          UNITY_BUILD_BATCH_SIZE 16)
    set(scope PUBLIC)
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(${target} ${scope} "${PROJECT_SOURCE_DIR}/include"
                             "${PROJECT_SOURCE_DIR}/src")
  target_compile_features(${target} ${scope} cxx_std_20)
  foreach(used IN LISTS arg_USES)
    if(NOT used MATCHES "::")
      set(used holdfast_${used})
    endif()
    target_link_libraries(${target} ${scope} ${used})
  endforeach()
  target_link_libraries(${target} ${scope} Threads::Threads)
endfunction()

# holdfast_layer(<folder> [USES <lower layer or imported target>...]): src/<folder>/*.cpp without
# the files that need libpq.
function(holdfast_layer folder)
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/${folder}/*.cpp")
  list(FILTER sources EXCLUDE REGEX "/postgres_[^/]*\\.cpp$")
  holdfast_add_layer(holdfast_${folder} SOURCES ${sources} ${ARGN})
endfunction()

# Every src/*/postgres_*.cpp of the library: with those of the benchmarks the only code that sees libpq.
function(holdfast_postgres_layer)
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/*/postgres_*.cpp")
  list(FILTER sources EXCLUDE REGEX "/src/(bench|cli)/")
  holdfast_add_layer(holdfast_db_postgres SOURCES ${sources} ${ARGN})
endfunction()

# Bundles the objects of some layers into the public library holdfast::<public_name>.
function(holdfast_bundle target public_name)
  set(objects)
  foreach(layer IN LISTS ARGN)
    get_target_property(type ${layer} TYPE)
    if(type STREQUAL "STATIC_LIBRARY")
      list(APPEND objects $<TARGET_OBJECTS:${layer}>)
    endif()
  endforeach()
  if(NOT objects)
    return()
  endif()
  add_library(${target} STATIC ${objects})
  add_library(holdfast::${public_name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX EXPORT_NAME ${public_name})
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                             $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endfunction()

include(GNUInstallDirs)

# holdfast::holdfast (core and SQLite) and, if libpq is there, holdfast::postgres.
function(holdfast_libraries)
  holdfast_bundle(holdfast holdfast holdfast_base holdfast_db holdfast_store holdfast_queue
                  holdfast_worker)
  if(TARGET holdfast)
    target_link_libraries(holdfast PUBLIC SQLite::SQLite3 Threads::Threads)
  endif()
  if(HOLDFAST_POSTGRES)
    holdfast_bundle(holdfast_postgres postgres holdfast_db_postgres)
  endif()
  if(TARGET holdfast_postgres)
    target_link_libraries(holdfast_postgres PUBLIC holdfast PRIVATE PostgreSQL::PostgreSQL)
  endif()
endfunction()
