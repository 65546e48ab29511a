#include "qosarb/network/shard.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "qosarb/config/check_failure.hpp"

namespace qosarb {

namespace {

/// How many of the cycles first..last lie in begin..end-1.
std::uint64_t overlap(Cycle first, Cycle last, Cycle begin, Cycle end) {
  const Cycle low = std::max(first, begin);
  const Cycle high = std::min(last + 1, end);
  return high > low ? high - low : 0;
}

}  // namespace

Nodes::Nodes(Scenario of, std::unique_ptr<Routing> by)
    : scenario(std::move(of)),
      routing(std::move(by)),
      finished(scenario.traffic.size()),
      window_begin(scenario.warmup),
      window_end(scenario.end()),
      has_routes(!routing->by_destination()) {}

std::uint64_t Nodes::arrived(const PacketRecord& record, std::uint64_t flits, Cycle last,
                             Cycle begin, Cycle end) const {
  const LinkRate rate = scenario.host_rate(record.destination);
  const std::uint32_t spare = rate.slow() ? record.spare : 0U;
  const auto before = [&](Cycle cycle) {
    return last < cycle ? flits : flits - std::min(flits, rate.left(last + 1 - cycle, spare));
  };
  return end > begin ? before(end) - before(begin) : 0;
}

Shard::Shard(Nodes& nodes, Common& common, Index number, Index count, Shard* first)
    : fabric{.packets = first == nullptr ? PacketPool() : first->fabric.packets.sharing()},
      nodes_(nodes),
      common_(common),
      number_(number),
      messages_(first == nullptr ? Ids(kMostPackets) : first->messages_.sharing()),
      injected_for_(count),
      heard_(count),
      heard_packets_(count) {
  fabric.posts.resize(count);
  fabric.credits = common.credits.data();
  fabric.sent_flits = common.sent_flits.data();
}

void Shard::run(Cycle end) {
  const auto handler = [this](auto kind, const EventList& events) { handle(kind, events); };
  const auto matcher = [this](std::uint32_t word, std::uint64_t which) {
    nodes_.scenario.switches.architecture->match(fabric, nodes_.switches, word, which);
  };
  fabric.events.run(end, handler, matcher, nodes_.after_cycle);
}

Cycle Shard::meet(std::span<const std::unique_ptr<Shard>> all) {
  std::vector<Ids*> packets;
  std::vector<Ids*> messages;
  std::int64_t in_use = 0;
  Cycle first = kNever;
  for (const auto& one : all) {
    first = std::min(first, std::exchange(one->fabric.first_post, kNever));
    packets.push_back(&one->fabric.packets.ids());
    messages.push_back(&one->messages_);
    in_use += one->packets_in_use();
  }
  Ids::even_out(packets);
  Ids::even_out(messages);
  for (const auto& from : all) {
    from->elsewhere_ = in_use - from->packets_in_use();
    for (std::size_t to = 0; to < all.size(); ++to) {
      std::swap(from->fabric.posts[to], all[to]->heard_[from->number_]);
      if (all[to] != from) {
        std::swap(from->injected_for_[to], all[to]->heard_packets_[from->number_]);
      }
    }
  }
  return first;
}

void Shard::hear() {
  for (std::vector<Fabric::Post>& posts : heard_) {
    for (const Fabric::Post& post : posts) {
      fabric.events.schedule(post.when, post.kind, post.event);
    }
    posts.clear();
  }
  for (std::vector<Injected>& packets : heard_packets_) {
    take_turns(packets);
  }
}

inline void Shard::take_turns(std::vector<Injected>& packets) {
  for (const Injected& one : packets) {
    nodes_.packet_ends.data()[one.packet].turn =
        flows_.generated(one.source, one.destination, one.level);
  }
  packets.clear();
}

void Shard::tell_deliveries(std::span<const std::unique_ptr<Shard>> all) {
  std::vector<Delivery> deliveries;
  for (const auto& one : all) {
    deliveries.insert(deliveries.end(), one->deliveries_.begin(), one->deliveries_.end());
    one->deliveries_.clear();
  }
  std::stable_sort(deliveries.begin(), deliveries.end(),
                   [](const Delivery& a, const Delivery& b) { return a.when < b.when; });
  for (const Delivery& one : deliveries) {
    all.front()->nodes_.delivered_hook(one.packet, one.when);
  }
}

[[gnu::always_inline]] inline void Shard::handle_at_hosts(SimEventKind kind,
                                                          const EventList& events) {
  const auto ahead = [&](auto&& far, auto&& near, auto&& next, auto&& act) {
    for_each_ahead(events, fabric.large, far, near, next, act);
  };
  const auto nothing = [](SimEvent) {};
  switch (kind) {
    case SimEventKind::Generate:
      take_turns(injected_for_[number_]);
      return ahead([this](SimEvent event) { nodes_.hosts[event.node()].ask_for_memory(); },
                   [this](SimEvent event) {
                     const Host& host = nodes_.hosts[event.node()];
                     host.ask_for_queues();
                     __builtin_prefetch(host.sources.data());
                     __builtin_prefetch(host.generated.data());
                   },
                   [this](SimEvent event) {
                     for (const Host::EntrySource& one : nodes_.hosts[event.node()].sources) {
                       if (one.next == now()) {
                         __builtin_prefetch(one.source.get());
                         __builtin_prefetch(&sender(one.entry, event.node()));
                       }
                     }
                   },
                   [this](SimEvent event) { generate(event.node()); });
    case SimEventKind::Delivered:
      take_turns(injected_for_[number_]);
      return ahead(
          [this](SimEvent event) {
            fabric.packets.ask_for(event.data);
            fabric.packets.ask_for_record(event.data);
            __builtin_prefetch(&nodes_.packet_ends.data()[event.data]);
            __builtin_prefetch(&nodes_.hosts[event.node()].last_arrival);
          },
          [this](SimEvent event) {
            const PacketRecord& record = fabric.packets.record(event.data);
            flows_.ask_for_memory(record.source, record.destination, record.queue);
            __builtin_prefetch(&sender(record.entry, record.source));
          },
          nothing, [this](SimEvent event) { deliver(event.node(), event.data); });
    case SimEventKind::Inject:
      return ahead([this](SimEvent event) { nodes_.hosts[event.node()].ask_for_memory(); },
                   [this](SimEvent event) { nodes_.hosts[event.node()].ask_for_queues(); },
                   [this](SimEvent event) {
                     nodes_.hosts[event.node()].nic.ask_for_packets(fabric.packets);
                   },
                   [this](SimEvent event) { serve_host(event.node()); });
    case SimEventKind::PauseFrame:
      return for_each(events, [this](SimEvent event) {
        if (event.node() < fabric.hosts) {
          Egress& nic = nodes_.hosts[event.node()].nic;
          nic.count_pauses(now(), event.data);
          nic.pause_frame(fabric, event.data);
        }
      });
    case SimEventKind::CreditWake:
      return for_each(events, [this](SimEvent event) {
        if (event.node() < fabric.hosts) {
          nodes_.hosts[event.node()].nic.credit_wake(fabric, event.queue());
        }
      });
    default:
      return;
  }
}

// The events of one kind come together. Where this is called the kind is a constant.
[[gnu::always_inline]] inline void Shard::handle(SimEventKind kind, const EventList& events) {
  switch (kind) {
    case SimEventKind::Generate:
    case SimEventKind::Delivered:
    case SimEventKind::Inject:
      return handle_at_hosts(kind, events);
    case SimEventKind::Credits:
      return fabric.credits_come_back(events);
    case SimEventKind::LateCredits:
      return for_each(
          events, [this](SimEvent event) { fabric.credits[event.where].came_late(event.data); });
    case SimEventKind::PauseFrame:
    case SimEventKind::CreditWake:
      handle_at_hosts(kind, events);
      [[fallthrough]];
    default:
      nodes_.scenario.switches.architecture->handlers[static_cast<std::size_t>(kind)](
          fabric, nodes_.switches, events);
  }
}

void Shard::plan_generation(Index host) {
  Host& from = nodes_.hosts[host];
  Cycle next = kNever;
  for (const Host::EntrySource& one : from.sources) {
    next = std::min(next, one.next);
  }
  if (next < from.planned) {
    from.planned = next;
    fabric.events.schedule(next, SimEventKind::Generate, SimEvent::at(host, 0));
  }
}

[[gnu::always_inline]] inline void Shard::take_from(Index host, Host::EntrySource& from) {
  for (; from.next == fabric.events.now(); from.next = from.source->next()) {
    if (const Message* const message = from.source->take()) {
      send(host, from.entry, *message);
    }
  }
}

// The run ends with the cycle in which the last rank of all traces is done.
[[gnu::always_inline]] inline void Shard::finish_trace(std::uint16_t entry) {
  if (nodes_.ways[entry].trace && nodes_.traces[entry]->finished() && !nodes_.finished[entry])
      [[unlikely]] {
    nodes_.finished[entry] = true;
    if (--nodes_.traces_left == 0) {
      fabric.events.stop_at(fabric.events.now() + 1);
    }
  }
}

// Messages of one cycle come in the order of the traffic list.
void Shard::generate(Index host) {
  const Cycle now = fabric.events.now();
  Host& from = nodes_.hosts[host];
  if (nodes_.traffic_stopped || now != from.planned) {
    return;
  }
  Cycle next = kNever;
  for (Host::EntrySource& one : from.sources) {
    if (one.next == now) {
      take_from(host, one);
      finish_trace(one.entry);
    }
    next = std::min(next, one.next);
  }
  from.planned = next;
  from.nic.wake_if_wanted(fabric);
  if (next != kNever) [[likely]] {
    fabric.events.schedule(next, SimEventKind::Generate, SimEvent::at(host, 0));
  }
}

// Comes to the NIC.
[[gnu::always_inline]] inline void Shard::inject(Index host, int queue, const SourcePacket& from) {
  const PacketId id = fabric.packets.take();
  const unsigned level = nodes_.ways[from.entry].level;
  fabric.packets.record(id) = {.generated = from.generated,
                               .source = host,
                               .destination = from.destination,
                               .number = from.number,
                               .queue = static_cast<std::uint16_t>(level & 0xffU),
                               .entry = from.entry};
  nodes_.packet_ends.data()[id].message = from.message;
  fabric.packets[id] = {.flits = from.flits & 0xffffffU,
                        .service_level = level & 0xffU,
                        .destination = from.destination,
                        .route = from.route,
                        .next_vc = static_cast<std::uint16_t>(queue & 0xff)};
  const Index shard = nodes_.shard_of_host[from.destination];
  injected_for_[shard].push_back({id, host, from.destination, static_cast<Index>(level)});
  flows_.ask_for_memory(host, from.destination,
                        static_cast<int>(level));  // for naught if it is not in this shard
  nodes_.hosts[host].nic.arrive(fabric, queue, id);
}

std::uint32_t Shard::begin_message(const Message& message) {
  const std::uint32_t id = messages_.take();
  nodes_.messages.data()[id] = {message.flits, message.number};
  return id;
}

void Shard::send(Index host, std::uint16_t index, const Message& message) {
  const Cycle now = fabric.events.now();
  Host& from = nodes_.hosts[host];
  if (nodes_.measures(now)) {
    sender(index, host).offered_flits += message.flits;
  }
  const auto [vcs, longest, level, trace] = nodes_.ways[index];
  std::uint32_t id = Nodes::kNoMessage;
  if (message.flits > longest || trace) [[unlikely]] {
    id = begin_message(message);
  }
  const Index destination = message.destination;
  for (std::uint32_t left = message.flits; left > 0;) {
    if (packets_in_use() + elsewhere_ >= kMostPackets) [[unlikely]] {
      throw CheckFailure(
          fmt::format("{} packets wait in the network and its sources: lower the load "
                      "or shorten the run",
                      kMostPackets));
    }
    const PacketRecord record = {.generated = now,
                                 .source = host,
                                 .destination = destination,
                                 .number = from.generated[level]++,
                                 .queue = static_cast<std::uint16_t>(level & 0xffU),
                                 .entry = index};
    const int vc = (vcs & (vcs - 1)) == 0 ? lowest(vcs) : fabric.vc_allocation->choose(vcs, record);
    const std::uint32_t flits = std::min(left, longest);
    left -= flits;
    const std::uint32_t route = nodes_.has_routes ? nodes_.routing->start(record, from.routes) : 0;
    const SourcePacket packet{.generated = now,
                              .destination = destination,
                              .flits = flits,
                              .number = record.number,
                              .route = route,
                              .message = id,
                              .entry = index};
    Backlog& backlog = from.backlogs[vc];
    if (backlog.ahead >= Backlog::kMostAhead && !from.nic.keeps_time()) [[unlikely]] {
      backlog.push(SourcePacket{packet});
      ++in_backlogs;
    } else {
      ++backlog.ahead;
      inject(host, vc, packet);
    }
  }
}

void Shard::serve_host(Index host) {
  Host& from = nodes_.hosts[host];
  const PacketId sent = from.nic.serve(fabric);
  if (sent == kNoPacket) {
    return;
  }
  fabric.packets.record(sent).injected = fabric.events.now();
  injected += fabric.packets[sent].flits;
  const int queue = fabric.packets[sent].next_vc;
  Backlog& behind = from.backlogs[queue];
  if (behind.empty()) [[likely]] {
    --behind.ahead;
  } else {
    --in_backlogs;
    inject(host, queue, behind.pop());
  }
}

void Shard::deliver(Index host, PacketId id) {
  const Cycle now = fabric.events.now();
  const std::uint32_t flits = fabric.packets[id].flits;
  const PacketRecord& record = fabric.packets.record(id);
  const Cycle first = now - flits + 1;
  Host& at = nodes_.hosts[host];
  if (record.destination != host || first <= at.last_arrival) {
    throw CheckFailure(fmt::format(
        "cycle {}, host{}: packet {} {}", now, host, name_of(record),
        record.destination != host ? "came to the wrong host" : "arrives while another one does"));
  }
  at.last_arrival = now;
  const auto [message, turn] = nodes_.packet_ends.data()[id];
  const FlowTable::Order order = flows_.delivered(record, turn);
  if (order != FlowTable::Order::Kept) {
    if (order == FlowTable::Order::Unknown || nodes_.routing->in_order()) {
      throw CheckFailure(
          fmt::format("cycle {}, host{}: packet {} is not the one that is due: one "
                      "is lost or reordered",
                      now, host, name_of(record)));
    }
    reordered += order == FlowTable::Order::Late ? 1 : 0;
  }
  delivered += flits;

  const Cycle latency = now - record.generated;
  SenderStatistics& from = sender(record.entry, record.source);
  ClassTotals& totals = common_.class_totals[record.entry];
  totals.delivered_flits += flits;
  ++totals.packets;
  totals.latency += latency;
  const bool all = record.generated >= nodes_.window_begin && now < nodes_.window_end;
  if (all) [[likely]] {
    ClassStatistics& statistics = common_.classes[record.entry];
    statistics.packet_latency.add(latency);
    statistics.network_latency.add(now - record.injected);
    ++from.packets;
    from.latency += latency;
    from.longest = std::max(from.longest, latency);
    from.accepted_flits += flits;
  } else {
    from.accepted_flits +=
        nodes_.slow_hosts
            ? nodes_.arrived(record, flits, now, nodes_.window_begin, nodes_.window_end)
            : overlap(first, now, nodes_.window_begin, nodes_.window_end);
  }
  if (nodes_.delivered_hook) {
    if (alone()) {
      nodes_.delivered_hook(record, now);
    } else {
      deliveries_.push_back({record, now});
    }
  }
  if (message == Nodes::kNoMessage) {
    if (all) [[likely]] {
      common_.classes[record.entry].message_latency.add(latency);
    }
  } else {
    Nodes::MessageRecord& whole = nodes_.messages.data()[message];
    whole.flits_left -= flits;
    if (whole.flits_left == 0) {
      if (all) {
        common_.classes[record.entry].message_latency.add(latency);
      }
      if (nodes_.traces[record.entry] != nullptr) {
        tell_trace(host, record.entry, whole.number);
      }
      messages_.give_back(message);
    }
  }
  fabric.packets.give_back(id);
}

// A rank answers in the same cycle: a send takes no time.
void Shard::tell_trace(Index host, std::uint16_t entry, std::uint32_t number) {
  Host& at = nodes_.hosts[host];
  const auto receiver =
      std::find_if(at.sources.begin(), at.sources.end(),
                   [entry](const Host::EntrySource& one) { return one.entry == entry; });
  receiver->source->arrived(number, fabric.events.now());
  receiver->next = receiver->source->next();
  take_from(host, *receiver);
  finish_trace(entry);
  at.nic.wake_if_wanted(fabric);
  plan_generation(host);
}

}  // namespace qosarb
