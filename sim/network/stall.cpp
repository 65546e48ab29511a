#include "qosarb/network/stall.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace qosarb {

std::pair<int, int> StallSearch::size_of(const Switch& at, Kind kind) {
  const SwitchKind& architecture = *at.config().architecture;
  switch (kind) {
    case Kind::Input:
      return {at.queues(), at.ports()};
    case Kind::Output:
      return {architecture.queue_per_input ? at.ports() * at.queues() : at.queues(), at.ports()};
    case Kind::Central:  // at most two for each port
      return {at.queues(), architecture.has_central_buffers ? 2 * at.ports() : 0};
  }
  return {};
}

StallSearch::StallSearch(const Fabric& fabric, std::span<const std::unique_ptr<Switch>> switches,
                         std::set<std::uint32_t> frames)
    : fabric_(fabric), switches_(switches), frames_(std::move(frames)) {
  Index queues = 0;
  for (const auto& one : switches_) {
    begin_.push_back(queues);
    for (const Kind kind : kKinds) {
      const auto [each, all] = size_of(*one, kind);
      queues += each * all;
    }
  }
  begin_.push_back(queues);
  queues_.resize(queues);
  for (const auto& one : switches_) {
    add_lists(*one);
  }
  mark_live();
}

Index StallSearch::queue_at(Index node, Kind kind, int number, int queue) const {
  Index at_kind = begin_[node - fabric_.hosts];
  for (const Kind before : kKinds) {
    if (before == kind) {
      break;
    }
    const auto [each, all] = size_of(at(node), before);
    at_kind += each * all;
  }
  return at_kind + number * size_of(at(node), kind).first + queue;
}

Index StallSearch::queue_of(const Switch& here, const Waiting& waiting) const {
  const Packet& packet = fabric_.packets[waiting.packet];
  if (waiting.input >= 0) {
    return queue_at(here.node(), Kind::Input, waiting.input, packet.vc);
  }
  if (waiting.central >= 0) {
    return queue_at(here.node(), Kind::Central, waiting.central, packet.vc);
  }
  return queue_at(here.node(), Kind::Output, waiting.output,
                  waiting.buffer >= 0 ? waiting.buffer : packet.next_vc);
}

// A switch shows the packets of a list one after the other.
void StallSearch::add_lists(const Switch& here) {
  PacketId behind = kNoPacket;  // the next packet of the list, if it has one
  here.for_each_waiting(fabric_.packets, [&](const Waiting& waiting) {
    ++waiting_;
    const Packet& packet = fabric_.packets[waiting.packet];
    const Index queue = queue_of(here, waiting);
    queues_[queue].flits += packet.flits;
    if (behind != waiting.packet) {
      lists_.push_back(
          {.first = waiting.packet, .target = target_of(here, waiting), .in_begin = count(in_)});
    }
    if (count(in_) == lists_.back().in_begin || in_.back() != queue) {
      in_.push_back(queue);
      queues_[queue].list = count(lists_) - 1;
    }
    lists_.back().in_end = count(in_);
    behind = packet.next;
  });
}

Index StallSearch::target_of(const Switch& here, const Waiting& waiting) const {
  const Packet& packet = fabric_.packets[waiting.packet];
  if (waiting.next_central >= 0) {
    return queue_at(here.node(), Kind::Central, waiting.next_central, packet.vc);
  }
  const bool crosses = waiting.input >= 0 || waiting.central >= 0;
  if (crosses && here.config().architecture->has_output_queues) {
    return queue_at(here.node(), Kind::Output, waiting.output,
                    waiting.buffer >= 0 ? waiting.buffer : packet.next_vc);
  }
  const Wire& wire = here.sender(waiting.output).wire();
  return wire.to_host ? kNone : queue_at(wire.node, Kind::Input, wire.port, packet.next_vc);
}

StallSearch::Place StallSearch::place_of(Index queue) const {
  const auto above = std::upper_bound(begin_.begin(), begin_.end(), queue);
  const auto number = above - begin_.begin() - 1;
  const Switch& here = *switches_[number];
  Index index = queue - begin_[number];
  auto kind = kKinds.begin();
  for (;; ++kind) {
    const auto [each, all] = size_of(here, *kind);
    if (index < each * all) {
      return {here, *kind, index / each, index % each};
    }
    index -= each * all;
  }
}

bool StallSearch::lacks_room(const List& list) const {
  const Place to = place_of(list.target);
  const SwitchConfig& config = to.at.config();
  const std::uint64_t waiting = queues_[list.target].flits;
  const std::uint32_t flits = fabric_.packets[list.first].flits;
  switch (to.kind) {
    case Kind::Output:
      return waiting + flits > config.output_queue_flits;
    case Kind::Central:
      return waiting + flits > config.central_queue_flits;
    case Kind::Input:
      break;
  }
  const std::uint32_t longest = to.at.max_packet_flits();
  if (config.flow_control->gives_credits) {
    return waiting + (config.architecture->queue_per_input ? longest : flits) >
           config.input_queue_flits;
  }
  return stopped_for_good(to) &&
         waiting + to.at.headroom(to.number) + longest > config.input_queue_flits;
}

bool StallSearch::stopped_for_good(const Place& to) const {
  const Sender& receiver = to.at.sender(to.number);
  const Wire& back = receiver.wire();
  const Sender& sender = at(back.node).sender(back.port);
  return receiver.wants_pause(to.queue) && !receiver.frame_pending() && sender.paused(to.queue) &&
         !frames_.contains(SimEvent::at(back.node, back.port).where);
}

void StallSearch::mark_live() {
  std::vector<Index> fresh;  // live lists whose queues are not marked yet
  const auto mark = [&](Index list) {
    if (!lists_[list].live) {
      lists_[list].live = true;
      fresh.push_back(list);
    }
  };
  for (Index l = 0; l < count(lists_); ++l) {
    List& list = lists_[l];
    if (list.target == kNone || !lacks_room(list)) {
      mark(l);
    } else {
      list.next = std::exchange(queues_[list.target].waited_for, l);
    }
  }
  while (!fresh.empty()) {
    const List list = lists_[fresh.back()];
    fresh.pop_back();
    for (Index i = list.in_begin; i < list.in_end; ++i) {
      Queue& queue = queues_[in_[i]];
      if (!std::exchange(queue.live, true)) {
        for (Index l = queue.waited_for; l != kNone; l = lists_[l].next) {
          mark(l);
        }
      }
    }
  }
  dead_ = std::count_if(queues_.begin(), queues_.end(),
                        [](const Queue& queue) { return queue.list != kNone && !queue.live; });
}

std::string StallSearch::name_of_queue(Index queue) const {
  const Place place = place_of(queue);
  if (place.kind == Kind::Central) {
    return fmt::format("{} central buffer {} queue {}", place.at.place(), place.number,
                       place.queue);
  }
  return fmt::format("{}.port{} {} queue {}", place.at.place(), place.number,
                     place.kind == Kind::Output ? "output" : "input", place.queue);
}

std::string StallSearch::explain() const {
  Index list = 0;
  while (list < count(lists_) && lists_[list].live) {
    ++list;
  }
  list = list < count(lists_) ? list : 0;
  std::string text;
  std::set<Index> seen;
  Index queue = in_[lists_[list].in_begin];
  while (list != kNone && seen.insert(queue).second) {
    const Index target = lists_[list].target;
    const std::string name = name_of(fabric_.packets.record(lists_[list].first));
    if (target == kNone) {
      return text + fmt::format("  {}: {} goes to its host", name_of_queue(queue), name);
    }
    text += fmt::format("  {}: {} waits for room in {}\n", name_of_queue(queue), name,
                        name_of_queue(target));
    queue = target;
    list = queues_[queue].list;
  }
  return text + (list != kNone
                     ? fmt::format("  which is the ring: {} comes up again", name_of_queue(queue))
                     : fmt::format("  where nothing waits: {}", name_of_queue(queue)));
}

}  // namespace qosarb
