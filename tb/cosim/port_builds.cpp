#include <dlfcn.h>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "Vport.h"
#include "Vport___024root.h"
#include "cosim/port_model.hpp"
#include "cosim/verilated_port.hpp"

namespace qosarb {
namespace {

// The build in `file`, which loaded_port.cpp.in has described. It stays loaded.
const PortBuild& load(const std::string& file) {
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const symbol = library == nullptr ? nullptr : dlsym(library, "qosarb_port_build");
  if (symbol == nullptr) {
    throw std::runtime_error(dlerror());
  }
  return *reinterpret_cast<const PortBuild* (*)()>(symbol)();
}

}  // namespace

std::span<const PortBuild> port_builds() {
  static const std::vector<PortBuild> builds = [] {
    std::vector<PortBuild> all = {verilated::build<Vport, 8, 4>("port")};
    for (const char* const file : {QOSARB_LOADED_PORTS}) {
      if (std::filesystem::exists(file)) {
        all.push_back(load(file));
      }
    }
    return all;
  }();
  return builds;
}

}  // namespace qosarb
