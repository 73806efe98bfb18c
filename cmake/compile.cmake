# How our own targets are compiled. Nothing here reaches the flags of a project that consumes us.

find_program(HOLDFAST_CCACHE ccache)
if(HOLDFAST_CCACHE AND PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${HOLDFAST_CCACHE}")
endif()

# Sanitizers must cover every object of a program, so they are set for the whole directory.
if(HOLDFAST_SANITIZE)
  add_compile_options(-fsanitize=${HOLDFAST_SANITIZE} -fno-omit-frame-pointer
                      -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${HOLDFAST_SANITIZE})
endif()

# C++20 and the warnings of the house, for one of our targets.
function(holdfast_compile target)
  target_compile_features(${target} PRIVATE cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wconversion
                         $<$<CXX_COMPILER_ID:Clang>:-Wthread-safety>)
  # GCC 12 sees overlaps in std::string's own operator+ when it optimises (its bug 105651).
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(${target} PRIVATE -Wno-restrict)
  endif()
  # Under its sanitizers GCC warns about <regex> and std::function of its own library.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND HOLDFAST_SANITIZE)
    target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized)
  endif()
  if(HOLDFAST_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()
