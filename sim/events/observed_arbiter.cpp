#include "qosarb/events/observed_arbiter.hpp"

#include <algorithm>
#include <utility>

namespace qosarb {

ObservedArbiter::ObservedArbiter(std::unique_ptr<Arbiter> inner, int queues, bool stamps,
                                 PortObserver& observer)
    : inner_(std::move(inner)),
      observer_(&observer),
      stamps_(stamps),
      shown_(queues),
      packet_(queues),
      stamped_(queues) {}

void ObservedArbiter::advance(Cycle now, Heads heads) {
  show(since_, heads);
  inner_->advance(now, heads);
  since_ = now;
}

AgeStamp ObservedArbiter::arrive(Cycle now, Index queue, std::uint8_t age) {
  const AgeStamp stamp = inner_->arrive(now, queue, age);
  if (stamps_) {
    stamped_[queue].push_back({names_, age, stamp});
    observer_->on_stamp(now, queue, age, names_++);
  }
  return stamp;
}

Decision ObservedArbiter::decide(Cycle now, Heads heads) {
  show(now, heads);
  observer_->on_arbitration(now, heads);
  const Decision decision = inner_->decide(now, heads);
  observer_->on_decision(now, decision);
  if (decision.queue >= 0) {
    shown_[decision.queue] = Head{};
  }
  since_ = now + 1;
  return decision;
}

void ObservedArbiter::show(Cycle now, Heads heads) {
  for (Index queue = 0; queue < count(heads); ++queue) {
    const Head& head = heads[queue];
    Head& shown = shown_[queue];
    if (shown.flits != head.flits || shown.age != head.age || shown.stamp != head.stamp) {
      if (shown.flits != 0) {
        go(now, queue);
      }
      if (head.flits != 0) {
        come(now, queue, head);
      }
    }
    if (shown.stopped != head.stopped) {
      observer_->on_stop(now, queue, head.stopped);
    }
    shown = head;
  }
}

// Of packets with the same stamp and age any is as good.
void ObservedArbiter::come(Cycle now, Index queue, const Head& head) {
  std::vector<Packet>& waiting = stamped_[queue];
  const auto packet = std::find_if(waiting.begin(), waiting.end(), [&head](const Packet& one) {
    return one.stamp == head.stamp && one.age == head.age;
  });
  if (packet != waiting.end()) {
    packet_[queue] = *packet;
    waiting.erase(packet);
    observer_->on_stamped_arrival(queue, packet_[queue].name);
  }
  observer_->on_arrive(now, queue, head.flits, head.age);
}

void ObservedArbiter::go(Cycle now, Index queue) {
  if (stamps_) {
    stamped_[queue].push_back(packet_[queue]);
  }
  observer_->on_withdraw(now, queue, packet_[queue].name);
}

}  // namespace qosarb
