#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "Vport__evaluate.h"
#include "cosim/build_choice.hpp"
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

constexpr std::array kLoaded = {QOSARB_LOADED_PORTS};

bool is_there(const char* file) { return std::filesystem::exists(file); }

}  // namespace

std::size_t absent_port_builds() {
  return kLoaded.size() -
         static_cast<std::size_t>(std::count_if(kLoaded.begin(), kLoaded.end(), is_there));
}

std::span<const PortBuild> port_builds() {
  static const std::vector<PortBuild> builds = [] {
    std::vector<PortBuild> all = {verilated::build<Vport, 8, 4>("port")};
    for (const char* const file : kLoaded) {
      if (is_there(file)) {
        all.push_back(load(file));
      }
    }
    return all;
  }();
  return builds;
}

}  // namespace qosarb
