# What tests, benchmarks and examples share; users of the library never see this.

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

# Strict C++17, which is what the library promises; users may have extensions or a later standard.
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)

# Float results are compared across ports, so no compiler may fuse a multiply and an add by itself.
add_library(kompakt_flags INTERFACE)
target_compile_options(kompakt_flags INTERFACE -Wall -Wextra -ffp-contract=off
  $<$<BOOL:${KOMPAKT_WERROR}>:-Werror>)

# kompakt::compiled: the common instances compiled once, by cmake/compiled/*.cpp, for tool, tests
# and benchmarks.
file(GLOB compiled_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/compiled/*.cpp)
if(KOMPAKT_SINGLE_HEADER)
  # There every file that asks for definitions gets those of all rooms: one file is enough.
  list(FILTER compiled_sources EXCLUDE REGEX /compiled/host.cpp)
endif()
if(compiled_sources AND NOT KOMPAKT_BARE_METAL)
  add_library(kompakt_compiled STATIC ${compiled_sources})
  target_link_libraries(kompakt_compiled PUBLIC kompakt PRIVATE kompakt_flags)
  target_compile_definitions(kompakt_compiled PUBLIC KOMPAKT_COMPILED=1)
  set_source_files_properties(${PROJECT_SOURCE_DIR}/cmake/compiled/emulated_kernels.cpp PROPERTIES
    COMPILE_OPTIONS "$<$<CONFIG:Release>:-O1>")
else()
  add_library(kompakt_compiled INTERFACE)
  target_link_libraries(kompakt_compiled INTERFACE kompakt)
endif()
add_library(kompakt::compiled ALIAS kompakt_compiled)

# The host's threads, for host rooms.
if(NOT KOMPAKT_BARE_METAL)
  set(THREADS_PREFER_PTHREAD_FLAG ON)
  find_package(Threads REQUIRED)
  target_link_libraries(kompakt_flags INTERFACE Threads::Threads)
endif()

# A package of the system, else its source.
macro(kompakt_dependency name repository tag)
  find_package(${name} QUIET)
  if(NOT ${name}_FOUND)
    include(FetchContent)
    FetchContent_Declare(${name} GIT_REPOSITORY ${repository} GIT_TAG ${tag} GIT_SHALLOW ON)
    FetchContent_MakeAvailable(${name})
  endif()
endmacro()
