# Tests over RTL with hand-made faults (tb/faults/inject.py): with each of them a test has to fail, without to pass.

# `sources` becomes QOSARB_RTL with the faults of `name`, a file of this folder or a folder of files.
function(inject_faults sources name)
  set(faults ${CMAKE_CURRENT_SOURCE_DIR}/${name})
  file(GLOB files CONFIGURE_DEPENDS ${faults} ${faults}/*.toml)
  set(inject ${PROJECT_SOURCE_DIR}/tb/faults/inject.py)
  set(faulty_rtl ${CMAKE_CURRENT_BINARY_DIR}/rtl)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files} ${inject}
    ${PROJECT_SOURCE_DIR}/rtl/qosarb.f ${QOSARB_RTL})
  execute_process(
    COMMAND ${Python3_EXECUTABLE} ${inject} --faults ${faults} --rtl ${PROJECT_SOURCE_DIR}/rtl
      --out ${faulty_rtl}
    COMMAND_ERROR_IS_FATAL ANY)
  list(TRANSFORM QOSARB_RTL REPLACE "^${PROJECT_SOURCE_DIR}/rtl" ${faulty_rtl} OUTPUT_VARIABLE faulty)
  set(${sources} ${faulty_rtl}/qosarb_faults_pkg.sv ${faulty} PARENT_SCOPE)
endfunction()

# A test of each fault of this folder's faults.toml by `program`, called after `name`. `filter` is what its GoogleTests
# are called; <policy> stands for what the fault says there.
function(add_fault_tests name program filter)
  file(STRINGS faults.toml names REGEX "^name = ")
  file(STRINGS faults.toml suites REGEX "^policy = ")
  set(number 0)
  foreach(fault suite IN ZIP_LISTS names suites)
    math(EXPR number "${number} + 1")
    string(REGEX REPLACE "^.* = \"(.*)\"$" "\\1" fault ${fault})
    string(REGEX REPLACE "^.* = \"(.*)\"$" "\\1" suite ${suite})
    string(REPLACE <policy> ${suite} test_name ${name}.${fault})
    string(REPLACE <policy> ${suite} tests ${filter})
    add_test(NAME ${test_name} COMMAND ${Python3_EXECUTABLE}
      ${PROJECT_SOURCE_DIR}/tb/faults/check.py ${number} $<TARGET_FILE:${program}> --gtest_filter=${tests})
    set_tests_properties(${test_name} PROPERTIES TIMEOUT 600)
  endforeach()
endfunction()
