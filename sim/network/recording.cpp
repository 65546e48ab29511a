#include "qosarb/network/recording.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace qosarb {

namespace {
constexpr std::size_t kMostSlices = 128;
constexpr Cycle kFirstSlice = 256;
}  // namespace

Recording::Recording(Network& network, Cycle slice, bool flows)
    : network_(network),
      ports_(network.ports_with_links()),
      slice_(slice == 0 ? kFirstSlice : slice),
      adapts_(slice == 0) {
  samples_.push_back(take());
  if (!flows) {
    return;
  }
  network.on_delivery([this](const PacketRecord& packet, Cycle now) {
    const std::uint64_t source = packet.source;
    const std::uint64_t destination = packet.destination;
    Flow& flow = flows_[source << 40U | destination << 16U | packet.entry];
    flow.source = packet.source;
    flow.destination = packet.destination;
    flow.entry = packet.entry;
    ++flow.packets;
    flow.latency += now - packet.generated;
    flow.longest = std::max(flow.longest, now - packet.generated);
  });
}

// Ports count the same things, or nothing.
void Recording::add(std::vector<CounterValue>& sums, const std::vector<CounterValue>& counters) {
  for (const CounterValue& counter : counters) {
    const auto same = std::find_if(sums.begin(), sums.end(), [&counter](const CounterValue& one) {
      return one.name == counter.name && one.of == counter.of;
    });
    if (same == sums.end()) {
      sums.push_back(counter);
    } else {
      same->value += counter.value;
    }
  }
}

Recording::Sample Recording::take() const {
  Sample sample{network_.now(), network_.class_totals(), {}, {}};
  sample.sent.reserve(ports_.size());
  for (const Network::NamedPort& named : ports_) {
    sample.sent.push_back(named.port->sent_flits());
    if (named.port->node() >= network_.host_count()) {
      add(sample.counters, network_.counters(named));
    }
  }
  return sample;
}

// Every second one goes when there are too many, and slices are twice as long from then on.
void Recording::sample() {
  if (network_.now() == samples_.back().end) {
    return;
  }
  samples_.push_back(take());
  if (adapts_ && samples_.size() > kMostSlices) {
    std::size_t kept = 1;
    for (std::size_t i = 2; i < samples_.size(); i += 2) {
      samples_[kept++] = std::move(samples_[i]);
    }
    samples_.resize(kept);
    slice_ *= 2;
  }
}

std::vector<Recording::Slice> Recording::slices() const {
  std::vector<Slice> slices;
  for (std::size_t i = 1; i < samples_.size(); ++i) {
    const Sample& before = samples_[i - 1];
    const Sample& at = samples_[i];
    const Cycle length = at.end - before.end;
    Slice slice{.end = at.end};
    for (std::size_t t = 0; t < at.classes.size(); ++t) {
      const ClassTotals& a = before.classes[t];
      const ClassTotals& b = at.classes[t];
      slice.got.push_back(ratio(b.delivered_flits - a.delivered_flits, length) /
                          network_.host_rates());
      slice.latency.push_back(
          b.packets == a.packets ? -1 : ratio(b.latency - a.latency, b.packets - a.packets));
    }
    for (std::size_t port = 0; port < at.sent.size(); ++port) {
      slice.utilization.push_back(
          static_cast<float>(ratio(at.sent[port] - before.sent[port], length) / rate_of(port)));
    }
    slice.counters = at.counters;
    for (std::size_t c = 0; c < before.counters.size(); ++c) {
      slice.counters[c].value -= before.counters[c].value;
    }
    slices.push_back(std::move(slice));
  }
  return slices;
}

std::vector<Recording::Link> Recording::links() const {
  const Cycle length = std::max<Cycle>(network_.now(), 1);
  std::vector<Link> links;
  for (std::size_t port = 0; port < ports_.size(); ++port) {
    const Sender& sender = *ports_[port].port;
    links.push_back({ports_[port].name, sender.node(), sender.here().port(), sender.wire().node,
                     ratio(sender.sent_flits(), length) / rate_of(port)});
  }
  return links;
}

std::vector<Recording::Flow> Recording::slowest_flows(int most) const {
  std::vector<Flow> flows;
  for (const auto& [key, flow] : flows_) {
    flows.push_back(flow);
  }
  const auto mean = [](const Flow& flow) { return ratio(flow.latency, flow.packets); };
  const auto slower = [&mean](const Flow& a, const Flow& b) {
    return std::tuple(mean(b), a.source, a.destination, a.entry) <
           std::tuple(mean(a), b.source, b.destination, b.entry);
  };
  const int kept = std::min(most, count(flows));
  std::partial_sort(flows.begin(), flows.begin() + kept, flows.end(), slower);
  flows.resize(kept);
  return flows;
}

}  // namespace qosarb
