# For every header of the rooms and ports, a file of the same name that includes the single header.
function(kompakt_single_header_shims to)
  foreach(top include ports)
    file(GLOB_RECURSE names RELATIVE ${PROJECT_SOURCE_DIR}/${top} CONFIGURE_DEPENDS
      ${PROJECT_SOURCE_DIR}/${top}/*.hpp)
    foreach(name IN LISTS names)
      if(name MATCHES "macros_p|kompakt_ports/ascend/|kompakt/comm/mpi")
        configure_file(${PROJECT_SOURCE_DIR}/${top}/${name} ${to}/${name} COPYONLY)
        continue()
      endif()
      set(single kompakt.hpp)
      if(name MATCHES "^kompakt/(core|numeric|quant|kernel|run|token|link)/|^kompakt_ports/|device.hpp")
        set(single kompakt_device.hpp)
      endif()
      file(CONFIGURE OUTPUT ${to}/${name} @ONLY CONTENT
        "#pragma once\n#include \"@PROJECT_SOURCE_DIR@/single_include/@single@\"\n")
    endforeach()
  endforeach()
endfunction()
