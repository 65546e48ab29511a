# Joins the files of the Verilated model MODEL (directory and prefix): MODEL__fast.cpp includes what runs
# in each evaluation, MODEL__slow.cpp what runs once or writes waveforms.
#
# MODEL__evaluate.h is the model with an evaluation that does nothing else. Verilator's own also tells a waveform that
# there may be something new, locks what objects of classes wait in to be deleted, and empties the queue in which other
# threads leave their messages; a model without a waveform, without classes and on one thread has none of them.
file(GLOB files ${MODEL}*.cpp)
set(fast)
set(slow)
foreach(file IN LISTS files)
  get_filename_component(name ${file} NAME)
  if(name MATCHES "__Slow|__Syms|__Trace|__Dpi")
    string(APPEND slow "#include \"${name}\"\n")
  else()
    string(APPEND fast "#include \"${name}\"\n")
  endif()
endforeach()
file(WRITE ${MODEL}__fast.cpp "${fast}")
file(WRITE ${MODEL}__slow.cpp "${slow}")

get_filename_component(prefix ${MODEL} NAME)
file(WRITE ${MODEL}__evaluate.h "#pragma once
#include \"${prefix}.h\"
#include \"${prefix}___024root.h\"
void ${prefix}___024root___eval(${prefix}___024root*);
inline void evaluate_alone(${prefix}& model) { ${prefix}___024root___eval(model.rootp); }
")
