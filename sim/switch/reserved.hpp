// Memory for as many objects as there may ever be.
#pragma once

#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstddef>
#include <system_error>
#include <type_traits>

namespace qosarb {

/// So many objects, whose bytes are 0 at first. The machine gives memory only for those that are
/// written to, so there may be many more of them than are ever used. They never move, and threads
/// may use different ones at once.
template <typename T>
class Reserved {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  /// Errors: std::system_error if there is not so much room in the address space.
  explicit Reserved(std::size_t count) : bytes_(count * sizeof(T)) {
    void* const at = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) {
      throw std::system_error(
          errno, std::generic_category(),
          fmt::format("no {} MiB of address space can be reserved for what a network holds, though "
                      "it takes no memory before it is used (ulimit -v)",
                      bytes_ >> 20U));
    }
    first_ = static_cast<T*>(at);
  }
  Reserved(const Reserved&) = delete;
  Reserved& operator=(const Reserved&) = delete;
  ~Reserved() { munmap(first_, bytes_); }

  /// Asks for it in huge pages, so that fewer of them have to be looked up. Before it is written
  /// to; where the machine has none it stays as it is.
  void ask_for_huge_pages() { madvise(first_, bytes_, MADV_HUGEPAGE); }

  [[nodiscard]] T* data() { return first_; }

 private:
  std::size_t bytes_;
  T* first_ = nullptr;
};

}  // namespace qosarb
