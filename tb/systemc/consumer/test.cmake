# Installs what build directory BUILD made into WORK, builds the project here against it, and runs that:
# its output has to be that of program EXAMPLE. That of the library alone decides as docs/library.md tells, by hand. A component that is not there is refused.
# The page names each folder of headers.
function(run)
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGN}\n${output}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/installed)
file(READ ${CMAKE_CURRENT_LIST_DIR}/../../../docs/library.md page)
file(GLOB folders LIST_DIRECTORIES true RELATIVE ${WORK}/installed/include/qosarb ${WORK}/installed/include/qosarb/*)
foreach(folder IN LISTS folders)
  if(NOT page MATCHES "`${folder}/`")
    message(FATAL_ERROR "docs/library.md does not say whose headers qosarb/${folder}/ has")
  endif()
endforeach()
run(${CMAKE_COMMAND} -G Ninja -S ${CMAKE_CURRENT_LIST_DIR} -B ${WORK}/build
  -DCMAKE_PREFIX_PATH=${WORK}/installed)
run(${CMAKE_COMMAND} --build ${WORK}/build)
execute_process(COMMAND ${CMAKE_COMMAND} -G Ninja -S ${CMAKE_CURRENT_LIST_DIR} -B ${WORK}/refused
  -DCMAKE_PREFIX_PATH=${WORK}/installed -DMORE=verilog OUTPUT_QUIET ERROR_VARIABLE refusal RESULT_VARIABLE status)
if(status EQUAL 0 OR NOT refusal MATCHES "qosarb::verilog is not in this installation")
  message(FATAL_ERROR "with a component that is not there: ${status}\n${refusal}")
endif()
execute_process(COMMAND ${WORK}/build/consumer OUTPUT_VARIABLE consumer COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${EXAMPLE} OUTPUT_VARIABLE example COMMAND_ERROR_IS_FATAL ANY)
if(consumer STREQUAL "" OR NOT consumer STREQUAL example)
  message(FATAL_ERROR "printed:\n${consumer}\nand not:\n${example}")
endif()

file(WRITE ${WORK}/arbiter.yaml "arbiter:
  policy: bxi-deficit
  queues: 2
  max_packet_flits: 4
  table: [{queue: 0, weight: 6}, {queue: 1, weight: 6}]
")
execute_process(COMMAND ${WORK}/build/decide ${WORK}/arbiter.yaml OUTPUT_VARIABLE decided COMMAND_ERROR_IS_FATAL ANY)
if(NOT decided STREQUAL "0 1 1 0 0 1 1 0 1 1 0 0 \n")
  message(FATAL_ERROR "decided: ${decided}")
endif()
