#include "cosim/coverage.hpp"

#include "qosarb/config/input_error.hpp"

#ifdef QOSARB_COVERAGE
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>

#include "verilated.h"
#include "verilated_cov.h"
#endif

namespace qosarb {

#ifdef QOSARB_COVERAGE

namespace {

// As with gcov, the sum is the process's: a campaign makes and drops thousands of models.
class Sum {
 public:
  void add(VerilatedContext& context) {
    const std::string file = (std::filesystem::temp_directory_path() /
                              ("qosarb-coverage-" + std::to_string(getpid()) + ".dat"))
                                 .string();
    const std::lock_guard lock(mutex_);
    // One module of cover points is bound to several engines; else their counts would be one.
    context.coveragep()->forcePerInstance(true);
    context.coveragep()->write(file.c_str());
    std::ifstream in(file);
    std::string line;
    while (std::getline(in, line)) {
      const std::size_t end = line.rfind("' ");
      if (line.starts_with("C '") && end != std::string::npos) {
        counts_[line.substr(0, end + 1)] += std::stoull(line.substr(end + 2));
      }
    }
    std::filesystem::remove(file);
  }
  void write(const std::string& file) {
    const std::lock_guard lock(mutex_);
    std::ofstream out(file, std::ios::binary);
    out << "# SystemC::Coverage-3\n";
    for (const auto& [point, count] : counts_) {
      out << point << ' ' << count << '\n';
    }
    out.close();
    if (!out) {
      throw InputError(file, 0, "cannot be written");
    }
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::uint64_t> counts_;  // by the point as Verilator names it
};

Sum& sum() {
  static Sum the_sum;
  return the_sum;
}

}  // namespace

void collect_coverage(VerilatedContext& context) { sum().add(context); }

void write_coverage(const std::string& file) { sum().write(file); }

#else

void collect_coverage(VerilatedContext& /*context*/) {}

void write_coverage(const std::string& file) {
  throw InputError(file, 0, "this build has no coverage (cmake --preset coverage has)");
}

#endif

}  // namespace qosarb
