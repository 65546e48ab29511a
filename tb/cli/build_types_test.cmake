# Configures the library in SOURCE for each build type into WORK, and compiles of it a source that takes the headers that
# were parsed for another target. In the last one a product and a sum are two instructions, whatever the machine has.
foreach(type Debug MinSizeRel RelWithDebInfo)
  file(REMOVE_RECURSE ${WORK})
  foreach(arguments "-G;Ninja;-S;${SOURCE};-B;${WORK};-DCMAKE_BUILD_TYPE=${type};-DCMAKE_CXX_COMPILER_LAUNCHER=;-DQOSARB_TB=OFF;-DQOSARB_X86_64_V3=OFF;-DQOSARB_PARCELS=OFF"
      "--build;${WORK};--target;sim/CMakeFiles/qosarb_plan.dir/plan/spec.cpp.o")
    execute_process(COMMAND ${CMAKE_COMMAND} ${arguments} OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE status)
    if(NOT status EQUAL 0)
      message(FATAL_ERROR "${type}: ${arguments}\n${output}")
    endif()
  endforeach()
endforeach()
file(STRINGS ${WORK}/compile_commands.json commands REGEX "\"command\".*/sim/")
list(FILTER commands EXCLUDE REGEX "-ffp-contract=off")
if(commands)
  message(FATAL_ERROR "may round otherwise where there is FMA: ${commands}")
endif()
