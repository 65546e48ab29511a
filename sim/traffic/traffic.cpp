#include "qosarb/traffic/traffic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <sstream>
#include <stdexcept>

#include "qosarb/config/divided_up.hpp"
#include "qosarb/config/input_error.hpp"
#include "qosarb/config/whole_text.hpp"

namespace qosarb {

namespace {

constexpr std::uint64_t kMillion = 1'000'000;
constexpr std::uint64_t kCertain = std::uint64_t{1} << 53U;  // probability 1
constexpr std::uint32_t kMaxMessageBytes = std::uint32_t{1} << 30U;
const char* const kMeanFirst = "the mean size in bytes is expected first";

std::uint32_t flits_of(std::uint64_t bytes, std::uint32_t flit_bytes) {
  return static_cast<std::uint32_t>(divided_up(bytes, flit_bytes));
}

/// Sum of ceil(b / flit) for b = 1..n.
Uint128 flits_up_to(std::uint64_t n, std::uint64_t flit) {
  const Uint128 whole = n / flit;
  return flit * (whole * (whole + 1) / 2) + (n % flit) * (whole + 1);
}

int log2_of_hosts(int hosts, int of, const char* name) {
  const unsigned n = hosts;
  const int bits = std::countr_zero(n);
  if (!std::has_single_bit(n) || bits % of != 0) {
    throw std::invalid_argument(
        fmt::format("permutation {} needs a number of hosts that is a power of {}; {} is not", name,
                    of == 2 ? 4 : 2, hosts));
  }
  return bits;
}

}  // namespace

MessageSizes MessageSizes::range(std::uint32_t low, std::uint32_t high) {
  MessageSizes sizes;
  sizes.low_ = low;
  sizes.high_ = high;
  return sizes;
}

MessageSizes MessageSizes::from_file(const std::string& file) {
  std::istringstream in(whole_text(file));
  MessageSizes sizes;
  sizes.file_ = file;
  double mean = 0;
  double sum = 0;
  double last_probability = 0;
  std::string text;
  int line = 0;
  while (std::getline(in, text)) {
    ++line;
    const std::size_t begin = text.find_first_not_of(" \t\r");
    if (begin == std::string::npos || text[begin] == '#') {
      continue;
    }
    std::istringstream words(text);
    std::string rest;
    if (mean == 0) {
      if (!(words >> mean) || (words >> rest) || !(mean > 0)) {
        throw InputError(file, line, kMeanFirst);
      }
      continue;
    }
    double bytes = 0;
    double probability = 0;
    if (!(words >> bytes >> probability) || (words >> rest)) {
      throw InputError(file, line, "a size in bytes and its cumulative probability are expected");
    }
    if (!(bytes >= 1 && bytes <= kMaxMessageBytes && bytes == std::floor(bytes))) {
      throw InputError(
          file, line,
          fmt::format("a message of {} bytes is not within 1..{}", bytes, kMaxMessageBytes));
    }
    const auto size = static_cast<std::uint32_t>(bytes);
    if (!sizes.steps_.empty() && size <= sizes.steps_.back().bytes) {
      throw InputError(file, line, "sizes must increase");
    }
    if (!(probability >= last_probability && probability <= 1)) {
      throw InputError(file, line, "cumulative probabilities must increase up to 1");
    }
    sum += bytes * (probability - last_probability);
    last_probability = probability;
    sizes.steps_.push_back({static_cast<std::uint64_t>(probability * double{kCertain}), size});
  }
  if (mean == 0) {
    throw InputError(file, line, kMeanFirst);
  }
  if (last_probability != 1) {
    throw InputError(file, line, "the last cumulative probability must be 1");
  }
  if (std::abs(sum - mean) > mean / 100) {
    throw InputError(file, 1,
                     fmt::format("the mean is given as {} bytes, the list's is {:.4f}", mean, sum));
  }
  return sizes;
}

std::uint32_t MessageSizes::next(Random& random) const {
  if (!steps_.empty()) {
    const std::uint64_t draw = random.bits() >> 11U;
    const auto step = std::upper_bound(steps_.begin(), steps_.end(), draw,
                                       [](std::uint64_t d, const Step& s) { return d < s.below; });
    return step->bytes;
  }
  return low_ == high_ ? low_ : low_ + random.below<std::uint32_t>(high_ - low_ + 1);
}

std::uint32_t MessageSizes::largest() const { return steps_.empty() ? high_ : steps_.back().bytes; }

std::uint64_t MessageSizes::mean_flits(std::uint32_t flit_bytes) const {
  if (steps_.empty()) {
    const Uint128 sum = flits_up_to(high_, flit_bytes) - flits_up_to(low_ - 1, flit_bytes);
    return static_cast<std::uint64_t>((sum << 32U) / (high_ - low_ + 1ULL));
  }
  Uint128 sum = 0;
  std::uint64_t previous = 0;
  for (const Step& step : steps_) {
    sum += Uint128{step.below - previous} * flits_of(step.bytes, flit_bytes);
    previous = step.below;
  }
  return static_cast<std::uint64_t>(sum >> (53U - 32U));
}

std::vector<int> permutation_of(const TrafficEntry& entry, int hosts, std::uint64_t seed,
                                std::uint64_t stream) {
  std::vector<int> to(hosts);
  std::iota(to.begin(), to.end(), 0);
  switch (entry.permutation) {
    case PermutationKind::Random: {
      // No host is number `hosts`, so this stream is no source's. That of the first item is the one
      // of a random placement with the same seed, too (docs/switch-model.md).
      Random random(seed, hosts, stream);
      for (std::size_t i = to.size() - 1; i > 0; --i) {
        std::swap(to[i], to[random.below(i)]);
      }
      break;
    }
    case PermutationKind::Shift:
      for (int& host : to) {
        host = (host + entry.shift) % hosts;
      }
      break;
    case PermutationKind::BitComplement: {
      log2_of_hosts(hosts, 1, "bit-complement");
      for (int& host : to) {
        host = hosts - 1 - host;
      }
      break;
    }
    case PermutationKind::BitReverse: {
      const int bits = log2_of_hosts(hosts, 1, "bit-reverse");
      for (int& host : to) {
        int reversed = 0;
        for (int b = 0; b < bits; ++b) {
          reversed |= ((host >> b) & 1) << (bits - 1 - b);
        }
        host = reversed;
      }
      break;
    }
    case PermutationKind::Transpose: {
      const int half = log2_of_hosts(hosts, 2, "transpose") / 2;
      for (int& host : to) {
        host = (host >> half) | ((host & ((1 << half) - 1)) << half);
      }
      break;
    }
  }
  for (Index i = 0; i < count(to); ++i) {
    if (to[i] == i) {
      to[i] = -1;
    }
  }
  return to;
}

TrafficSource::TrafficSource(const TrafficEntry& entry, int index, int host, int hosts,
                             std::uint32_t flit_bytes, std::uint64_t seed,
                             const std::vector<int>& permutation, const LinkRate& rate)
    : entry_(&entry),
      index_(index),
      hosts_(entry.among_hosts ? count(entry.hosts) : hosts),
      flit_bytes_(flit_bytes),
      place_(entry.among_hosts ? index_of(entry.hosts, host) : host),
      random_(seed, host, index),
      load_(entry.load_ppm * rate.flits),
      per_(kMillion * rate.cycles),
      messages_left_(entry.messages == 0 ? ~std::uint64_t{0} : entry.messages) {
  if (entry.sizes.fixed() && entry.arrival != Arrival::Burst) {
    fixed_flits_ = flits_of(entry.sizes.largest(), flit_bytes);
  }
  if (entry.pattern == Pattern::Permutation) {
    partner_ = permutation[host];
  } else if (entry.pattern == Pattern::HotSpot) {
    partner_ = entry.hot_spot;
  }
  switch (entry.arrival) {
    case Arrival::Even:
      start_evenly();
      break;
    case Arrival::OnOff:
      start_evenly();
      // The lengths have no memory: it starts on as often as it is on.
      on_end_ = random_.below(entry.mean_on + entry.mean_off) < entry.mean_on
                    ? exponential(entry.mean_on)
                    : 0;
      skip_off_times();
      break;
    case Arrival::Poisson:
      mean_gap_ =
          static_cast<std::uint64_t>(Uint128{entry.sizes.mean_flits(flit_bytes)} * per_ / load_);
      plan(0);
      break;
    case Arrival::Burst:
      next_ = entry.burst_offset;
      burst_left_ = entry.burst_bytes;
      break;
  }
}

// A random phase within the first interval, so that hosts do not march in step.
void TrafficSource::start_evenly() {
  const auto interval =
      static_cast<std::uint64_t>(Uint128{entry_->sizes.mean_flits(flit_bytes_)} * per_ >> 32U);
  const std::uint64_t phase = random_.below(std::max<std::uint64_t>(interval, 1));
  next_ = phase / load_;
  fraction_ = phase % load_;
}

Cycle TrafficSource::exponential(Cycle mean) {
  return static_cast<Cycle>((Uint128{random_.exponential()} * mean) >> 32U);
}

// While it is off, time stands still for its messages. If so many such times come before the next
// message that it is far away, next() is a cycle before it, in which take() looks further.
void TrafficSource::skip_off_times() {
  constexpr int kMostAtOnce = 1000;
  for (int i = 0; i < kMostAtOnce && next_ >= on_end_; ++i) {
    const Cycle off = exponential(entry_->mean_off);
    next_ += off;
    on_end_ += off + exponential(entry_->mean_on);
  }
}

std::uint32_t TrafficSource::next_flits() {
  std::uint64_t bytes = entry_->sizes.next(random_);
  if (entry_->arrival == Arrival::Burst) {
    bytes = std::min(bytes, burst_left_);
    burst_left_ -= bytes;
  }
  return flits_of(bytes, flit_bytes_);
}

const Message* TrafficSource::take() {
  if (next_ >= on_end_) [[unlikely]] {
    skip_off_times();
    return nullptr;
  }
  message_.flits = fixed_flits_ != 0 ? fixed_flits_ : next_flits();
  if (partner_ >= 0) {
    message_.destination = partner_;
  } else {  // anyone but itself
    const Index other = random_.below<Index>(hosts_ - 1);
    const int place = other + (other >= place_ ? 1 : 0);
    message_.destination = entry_->among_hosts ? entry_->hosts[place] : place;
  }
  if (--messages_left_ == 0) {
    next_ = kNever;
  } else {
    plan(message_.flits);
  }
  return &message_;
}

// Plans the message after one of `flits`.
void TrafficSource::plan(std::uint32_t flits) {
  switch (entry_->arrival) {
    case Arrival::Even:
    case Arrival::OnOff: {  // flits / load later, the remainder kept
      const std::uint64_t sum = fraction_ + flits * per_;
      next_ += sum / load_;
      fraction_ = sum % load_;
      if (entry_->arrival == Arrival::OnOff) {
        skip_off_times();
      }
      break;
    }
    case Arrival::Poisson: {
      const Uint128 sum = fraction_ + ((Uint128{random_.exponential()} * mean_gap_) >> 32U);
      next_ += static_cast<Cycle>(sum >> 32U);
      fraction_ = sum & 0xffffffffU;
      break;
    }
    case Arrival::Burst:
      if (burst_left_ == 0) {
        next_ += entry_->burst_period;
        burst_left_ = entry_->burst_bytes;
      }
      break;
  }
}

}  // namespace qosarb
