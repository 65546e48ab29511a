// Less than the machine has.
#pragma once

#include <sys/resource.h>

namespace qosarb::test {

/// As long as it lives, this process and those that it starts have so much of a resource, by its
/// name for setrlimit(): with RLIMIT_FSIZE no file grows beyond `most` bytes, as on a full disk.
class ResourceLimit {
 public:
  ResourceLimit(decltype(RLIMIT_FSIZE) resource, rlim_t most) : resource_(resource) {
    getrlimit(resource_, &before_);
    const rlimit limit{most, before_.rlim_max};
    setrlimit(resource_, &limit);
  }
  ~ResourceLimit() { setrlimit(resource_, &before_); }
  ResourceLimit(const ResourceLimit&) = delete;
  ResourceLimit& operator=(const ResourceLimit&) = delete;

 private:
  decltype(RLIMIT_FSIZE) resource_;
  rlimit before_{};
};

}  // namespace qosarb::test
