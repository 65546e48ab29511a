#include "qosarb/switch/egress.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "qosarb/config/check_failure.hpp"

namespace qosarb {

Sender::Sender(std::string place, Index node, Index port, int queues,
               std::unique_ptr<Arbiter> arbiter)
    : one_queue_(queues == 1),
      arbiter_(std::move(arbiter)),
      here_(SimEvent::at(node, port).where),
      heads_(queues),
      place_(std::move(place)) {
  observe(nullptr);
}

void Sender::observe(PortObserver* observer) {
  observer_ = observer;
  round_robin_ = observer == nullptr ? dynamic_cast<RoundRobin*>(arbiter_.get()) : nullptr;
  keeps_time_ = observer != nullptr || arbiter_->keeps_time();
  stamps_ = observer != nullptr || arbiter_->stamps();
}

void Sender::connect(Fabric& fabric, const Wire& wire) {
  wire_ = wire;
  sent_flits_ = &fabric.sent_flits[wire.first_sent];
  credits_ = fabric.credits;
  slow_ = wire.rate.slow();
  way_ = wire.latency + 1 + wire.delay + (wire.credits != 0 ? wire.input_latency : 0);
  tail_ = wire.to_host ? ~std::uint32_t{0} : 0;
  arrival_ = wire.to_host ? SimEventKind::Delivered : SimEventKind::HeadArrives;
  far_end_ = SimEvent::at(wire.node, wire.port).where;
  if (wire.credits != 0) {
    arrival_ = SimEventKind::Ready;
    credits_ = &fabric.credits[wire.first_credits];
    gives_credits_ = ~std::uint32_t{0};
    for (Index queue = 0; queue < wire.vcs; ++queue) {
      credits_[queue] = Credits(wire.credits, here(queue).where);
    }
    wakes_.assign(wire.vcs, 0);
  }
  shard_ = wire.shard;
  pipe_ = shard_ == Fabric::kHere ? fabric.events.pipe(way_, arrival_) : nullptr;
}

std::uint32_t Sender::most_taken() const {
  std::uint32_t most = 0;
  for (Index queue = 0; gives_credits() && queue < wire_.vcs; ++queue) {
    most = std::max(most, wire_.credits - credits_[queue].lowest());
  }
  return most;
}

void Sender::fail_busy(Cycle now) const {
  throw CheckFailure(
      fmt::format("cycle {}, {}: the wire is busy until cycle {}", now, place_, free_at_));
}

void Sender::fail_credit(const Fabric& fabric, PacketId id) const {
  throw CheckFailure(fmt::format("cycle {}, {}: packet {} has no credit", fabric.events.now(),
                                 place_, name_of(fabric.packets.record(id))));
}

void Sender::send_frame(Fabric& fabric) {
  const Cycle now = fabric.events.now();
  check_free(now);
  const std::uint32_t frame = pause_.next_frame();
  free_at_ = slow_ ? occupy(now, wire_.frame_flits) : now + wire_.frame_flits;
  ++fabric.pause_frames;
  ++pause_frames_;
  fabric.schedule_in(shard_, free_at_ + wire_.latency + wire_.delay, SimEventKind::PauseFrame,
                     SimEvent{far_end_, frame});
}

Cycle Sender::occupy(Cycle now, std::uint32_t flits) {
  const std::uint32_t spare = now == busy_.end ? busy_.spare : 0;
  busy_ = {now, now + wire_.rate.cycles_of(flits, spare), wire_.rate.spare_after(flits, spare)};
  return busy_.end;
}

// It is ready, or delivered, as if it had come at one flit a cycle and its last flit when it really
// does: see Switch::head_arrives().
void Sender::put_on_slow_wire(Fabric& fabric, PacketId id, const Packet& packet) {
  free_at_ = occupy(fabric.events.now(), packet.flits);
  fabric.packets.record(id).spare = busy_.spare & 0xffU;
  const Cycle last = free_at_ + wire_.latency + wire_.delay;  // flit arrives
  Cycle when = last;
  if (arrival_ == SimEventKind::HeadArrives) {
    when -= last_cycles(packet.flits - 1U);
  } else if (arrival_ == SimEventKind::Ready) {
    when = last - (packet.flits - 1U) + wire_.input_latency;
  }
  fabric.schedule_in(shard_, when, arrival_,
                     SimEvent{far_end_ | packet.next_vc << SimEvent::kPortBits, id});
}

void Sender::count_pauses(Cycle now, std::uint32_t frame) {
  pauses_.resize(heads_.size());
  const auto [stopped, group] = stopped_by(frame);
  for (Index queue = 0; queue < count(pauses_); ++queue) {
    Paused& one = pauses_[queue];
    const Mask at = bit(queue);
    if ((group & at) != 0 && (stopped & at) != 0 && one.since == kNotPaused) {
      one.since = now;
      ++one.times;
    } else if ((group & at) != 0 && (stopped & at) == 0 && one.since != kNotPaused) {
      one.cycles += now - std::exchange(one.since, kNotPaused);
    }
  }
}

std::vector<Sender::Pauses> Sender::pauses(Cycle now) const {
  std::vector<Pauses> all;
  for (Index queue = 0; queue < count(pauses_); ++queue) {
    const Paused& one = pauses_[queue];
    if (one.times > 0) {
      all.push_back(
          {queue, one.times, one.cycles + (one.since == kNotPaused ? 0 : now - one.since)});
    }
  }
  return all;
}

std::pair<Mask, Mask> Sender::stopped_by(std::uint32_t frame) {
  const std::uint32_t first = (frame >> 8U) * kClassesPerFrame;
  return {Mask{frame & 0xffU} << first, Mask{0xff} << first};
}

void Sender::wake_for_credit(Fabric& fabric, int queue, Cycle when) {
  fabric.events.schedule_no_later(wakes_[queue], when, SimEventKind::CreditWake, here(queue));
}

Decision Sender::arbitrate_in_time(Fabric& fabric) {
  const Cycle now = fabric.events.now();
  reach(now);
  if (observer_ != nullptr) {
    observer_->on_arbitration(now, heads_);
  }
  const Decision decision = arbiter_->decide(now, heads_);
  if (observer_ != nullptr) {
    observer_->on_decision(now, decision);
    decided_ = now;
  }
  return decision;
}

void Sender::tell_stop(Cycle now, int queue, bool stopped) {
  if (observer_ != nullptr) {
    observer_->on_stop(decided_ == now ? now + 1 : now, queue, stopped);
  }
}

void Egress::stop(Cycle now, int queue, bool stopped) {
  if (((stopped_ & bit(queue)) != 0) == stopped) {
    return;
  }
  if (keeps_time()) {
    reach(now);
  }
  stopped_ ^= bit(queue);
  heads_[queue].stopped = stopped;
  tell_stop(now, queue, stopped);
}

void Egress::refresh(Fabric& fabric) {
  const Cycle now = fabric.events.now();
  for (Mask left = unsure_; left != 0; left &= left - 1) {
    const int queue = lowest(left);
    const std::uint32_t flits = fabric.packets[lists_[queue].first].flits;
    const bool credit = has_credit(fabric, queue, flits);
    stop(now, queue, !credit);
    if (!credit) {
      wait_for_credit(fabric, queue, flits);
    }
  }
  unsure_ = 0;
}

void Egress::pause_frame(Fabric& fabric, std::uint32_t frame) {
  const auto [stopped, group] = stopped_by(frame);
  const Mask queues = group & first_bits(count(heads_));
  for (Mask changed = (paused_ ^ stopped) & queues; changed != 0; changed &= changed - 1) {
    const int queue = lowest(changed);
    paused_ ^= bit(queue);
    stop(fabric.events.now(), queue, (paused_ & bit(queue)) != 0);
  }
  if (active() != 0) {
    wake(fabric);
  }
}

void Egress::credit_wake(Fabric& fabric, int queue) {
  if ((stopped_ & bit(queue)) != 0) {
    unsure_ |= bit(queue);
    settle(fabric);
    wake_if_wanted(fabric);
  }
}

}  // namespace qosarb
