# minima_install_program(TARGET): installs a tool that finds the libraries beside it, also after the prefix was moved.

function(minima_install_program target)
  if(NOT MINIMA_INSTALL)
    return()
  endif()
  file(RELATIVE_PATH libraries /prefix/${CMAKE_INSTALL_BINDIR} /prefix/${CMAKE_INSTALL_LIBDIR})
  set(folders "$ORIGIN/${libraries}")
  if(MINIMA_CUDA STREQUAL "SIMULATED")
    list(APPEND folders "$ORIGIN/${libraries}/minima-simulated")
  endif()
  set_target_properties(${target} PROPERTIES INSTALL_RPATH "${folders}")
  install(TARGETS ${target} RUNTIME COMPONENT runtime)
endfunction()
