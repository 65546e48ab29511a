# verilate() with the arguments of Verilator's own CMake package, for builds that need only some of the
# models: here Verilator runs when a model is built and not when the tree is configured, a model is two
# files to the compiler (what runs often and what does not), and all models share one runtime.
# -D VERILATOR_ROOT=... takes another Verilator than the one that is installed. The models are compiled by clang
# where it is installed: it takes half of g++'s time, and what comes out is faster.
find_program(VERILATOR_BIN verilator_bin HINTS ${VERILATOR_ROOT} ENV VERILATOR_ROOT PATH_SUFFIXES bin REQUIRED)
if(NOT VERILATOR_ROOT)
  execute_process(COMMAND ${VERILATOR_BIN} --getenv VERILATOR_ROOT OUTPUT_VARIABLE VERILATOR_ROOT
    OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
endif()
find_program(QOSARB_RTL_COMPILER NAMES clang++ ${CMAKE_CXX_COMPILER} REQUIRED)
find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)

# The runtime of Verilated models, once for those with SystemC and once for those without. It is shared,
# since models can be loaded.
function(qosarb_verilator_runtime name systemc)
  if(TARGET ${name})
    return()
  endif()
  set(parts verilated verilated_dpi verilated_fst_c verilated_threads)
  if(QOSARB_COVERAGE)
    list(APPEND parts verilated_cov)
  endif()
  list(TRANSFORM parts PREPEND ${VERILATOR_ROOT}/include/)
  list(TRANSFORM parts APPEND .cpp)
  if(systemc)
    list(APPEND parts ${PROJECT_SOURCE_DIR}/tb/systemc/bound_checks.cpp)
  endif()
  add_library(${name} SHARED ${parts})
  # What RTL says, such as a check that fails, goes to stderr: stdout is the program's. Each evaluation goes through it:
  # it takes the short way to what is its own.
  target_compile_options(${name} PRIVATE -O2 -ftls-model=initial-exec -w
    "-DVL_PRINTF(...)=std::fprintf(stderr,__VA_ARGS__)")
  target_link_options(${name} PRIVATE -Wl,-Bsymbolic-functions)
  target_compile_definitions(${name} PUBLIC VM_COVERAGE=$<BOOL:${QOSARB_COVERAGE}> VM_SC=${systemc}
    VM_TRACE=1 VM_TRACE_VCD=0 VM_TRACE_FST=1)
  target_include_directories(${name} SYSTEM PUBLIC ${VERILATOR_ROOT}/include
    ${VERILATOR_ROOT}/include/vltstd)
  target_link_libraries(${name} PUBLIC Threads::Threads ZLIB::ZLIB $<$<CXX_COMPILER_ID:Clang>:atomic>)
  if(EXISTS ${VERILATOR_ROOT}/include/fstcpp)
    find_library(LZ4 lz4 REQUIRED)
    target_link_libraries(${name} PRIVATE ${LZ4})
  endif()
  if(systemc)
    target_compile_definitions(${name} PRIVATE VL_USER_STOP)  # bound_checks.cpp has it
    target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tb)
    target_link_libraries(${name} PUBLIC qosarb::systemc_kernel)
  endif()
endfunction()

function(verilate target)
  cmake_parse_arguments(arg "SYSTEMC;TRACE_FST" "PREFIX;TOP_MODULE;OPT_FAST;OPT_SLOW"
    "SOURCES;VERILATOR_ARGS" ${ARGN})
  if(arg_SYSTEMC)
    set(runtime verilator_runtime_systemc)
    qosarb_verilator_runtime(${runtime} 1)
    set(language --sc)
    find_path(SYSTEMC_INCLUDE systemc.h REQUIRED)
    find_library(SYSTEMC_LIBRARY systemc REQUIRED)
    cmake_path(GET SYSTEMC_LIBRARY PARENT_PATH systemc)
    # Newer Verilators ask for them.
    set(systemc SYSTEMC_INCLUDE=${SYSTEMC_INCLUDE} SYSTEMC_LIBDIR=${systemc})
  else()
    set(runtime verilator_runtime)
    qosarb_verilator_runtime(${runtime} 0)
    set(language --cc)
    set(systemc)
  endif()
  if(arg_TRACE_FST)
    list(APPEND language --trace-fst)
  endif()

  set(directory ${CMAKE_CURRENT_BINARY_DIR}/${target}.verilated)
  set(model ${directory}/${arg_PREFIX})
  add_custom_command(
    OUTPUT ${model}__fast.cpp ${model}__slow.cpp
    BYPRODUCTS ${model}.h ${model}__evaluate.h ${model}__Syms.h ${model}___024root.h
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${directory}
    COMMAND ${CMAKE_COMMAND} -E env VERILATOR_ROOT=${VERILATOR_ROOT} ${systemc} ${VERILATOR_BIN} ${language} --compiler gcc --prefix ${arg_PREFIX} --Mdir ${directory}
      --top-module ${arg_TOP_MODULE} ${arg_VERILATOR_ARGS} ${arg_SOURCES}
    COMMAND ${CMAKE_COMMAND} -D MODEL=${model} -P ${PROJECT_SOURCE_DIR}/cmake/join_model.cmake
    WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
    DEPENDS ${VERILATOR_BIN} ${arg_SOURCES} ${PROJECT_SOURCE_DIR}/cmake/join_model.cmake
    COMMENT "Verilating ${target}" VERBATIM)
  get_target_property(type ${target} TYPE)
  set(options -std=c++20 $<$<STREQUAL:${type},MODULE_LIBRARY>:-fPIC> $<$<BOOL:${QOSARB_X86_64_V3}>:-march=x86-64-v3> -w
    "-D$<JOIN:$<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>,$<SEMICOLON>-D>"
    "-isystem$<JOIN:$<FILTER:$<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>,EXCLUDE,^/usr/include$>,$<SEMICOLON>-isystem>")
  foreach(part IN ITEMS fast slow)
    string(TOUPPER OPT_${part} optimization)
    add_custom_command(OUTPUT ${model}__${part}.o
      COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} ${QOSARB_RTL_COMPILER} ${options} ${arg_${optimization}}
        -c ${model}__${part}.cpp -o ${model}__${part}.o
      DEPENDS ${model}__${part}.cpp COMMENT "Compiling ${target}, ${part}" VERBATIM COMMAND_EXPAND_LISTS)
    target_sources(${target} PRIVATE ${model}__${part}.cpp ${model}__${part}.o)
    set_source_files_properties(${model}__${part}.cpp PROPERTIES HEADER_FILE_ONLY ON)
    set_source_files_properties(${model}__${part}.o PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  endforeach()
  target_include_directories(${target} SYSTEM PUBLIC ${directory})
  target_link_libraries(${target} PUBLIC ${runtime})
endfunction()
