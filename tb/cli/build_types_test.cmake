# Configures the library in SOURCE for each build type into WORK, and compiles of it a source that takes the headers that
# were parsed for another target.
foreach(type Debug MinSizeRel RelWithDebInfo)
  file(REMOVE_RECURSE ${WORK})
  foreach(arguments "-G;Ninja;-S;${SOURCE};-B;${WORK};-DCMAKE_BUILD_TYPE=${type};-DCMAKE_CXX_COMPILER_LAUNCHER=;-DQOSARB_TB=OFF;-DQOSARB_PARCELS=OFF"
      "--build;${WORK};--target;sim/CMakeFiles/qosarb_plan.dir/plan/spec.cpp.o")
    execute_process(COMMAND ${CMAKE_COMMAND} ${arguments} OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE status)
    if(NOT status EQUAL 0)
      message(FATAL_ERROR "${type}: ${arguments}\n${output}")
    endif()
  endforeach()
endforeach()
