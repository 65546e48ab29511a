#include "qosarb/policy/port.hpp"

#include <algorithm>
#include <utility>

namespace qosarb {

Port::Port(int queues, std::unique_ptr<Arbiter> arbiter)
    : arbiter_(std::move(arbiter)), queues_(index(queues)), heads_(index(queues)) {}

void Port::stamp(Cycle now, Index queue, std::uint8_t age) {
  reach(now);
  stamped_.resize(queues_.size());
  const std::uint32_t name = stamps_++;
  stamped_[index(queue)].push_back(
      {.age = age, .handle = name, .stamp = arbiter_->arrive(now, queue, age)});
  if (observer_ != nullptr) {
    observer_->on_stamp(now, queue, age, name);
  }
}

void Port::arrive(Cycle now, Index queue, std::uint32_t flits, std::uint32_t age,
                  std::uint64_t handle) {
  reach(now);
  const std::size_t q = index(queue);
  auto own_age = static_cast<std::uint8_t>(std::min<std::uint32_t>(age, UINT8_MAX));
  if (stamped_.empty() || stamped_[q].empty()) {
    queues_[q].push_back({flits, own_age, handle, arbiter_->arrive(now, queue, own_age)});
  } else {
    const auto place =
        static_cast<std::ptrdiff_t>(std::min<std::size_t>(age, stamped_[q].size() - 1));
    QueuedPacket packet = stamped_[q][place];
    stamped_[q].erase(stamped_[q].begin() + place);
    if (observer_ != nullptr) {
      observer_->on_stamped_arrival(queue, static_cast<std::uint32_t>(packet.handle));
    }
    packet.flits = flits;
    packet.handle = handle;
    own_age = packet.age;
    queues_[q].push_back(packet);
  }
  if (queues_[q].size() == 1) {
    show_head(q);
  }
  if (observer_ != nullptr) {
    observer_->on_arrive(now, queue, flits, own_age);
  }
}

void Port::stop(Cycle now, Index queue, bool stopped) {
  reach(now);
  Head& head = heads_[index(queue)];
  active_ -= head.active() ? 1 : 0;
  head.stopped = stopped;
  active_ += head.active() ? 1 : 0;
  if (observer_ != nullptr) {
    observer_->on_stop(now, queue, stopped);
  }
}

void Port::withdraw(Cycle now, Index queue) {
  reach(now);
  const std::size_t q = index(queue);
  if (queues_[q].empty()) {
    return;
  }
  QueuedPacket packet = queues_[q].front();
  queues_[q].pop_front();
  show_head(q);
  packet.handle = stamps_++;
  if (!stamped_.empty()) {
    stamped_[q].push_back(packet);
  }
  if (observer_ != nullptr) {
    observer_->on_withdraw(now, queue, static_cast<std::uint32_t>(packet.handle));
  }
}

Port::Grant Port::arbitrate(Cycle now) {
  reach(now);
  if (observer_ != nullptr) {
    observer_->on_arbitration(now, heads_);
  }
  Grant grant{arbiter_->decide(now, heads_), {}};
  if (grant.decision.queue >= 0) {
    const std::size_t q = index(grant.decision.queue);
    grant.packet = queues_[q].front();
    queues_[q].pop_front();
    show_head(q);
    grant.decision.flits = grant.packet.flits;
  }
  if (observer_ != nullptr) {
    observer_->on_decision(now, grant.decision);
  }
  return grant;
}

void Port::restart(std::unique_ptr<Arbiter> arbiter) {
  arbiter_ = std::move(arbiter);
  arbiter_->advance(now_, heads_);
}

void Port::reach(Cycle now) {
  if (now > now_) {
    arbiter_->advance(now, heads_);
    now_ = now;
  }
}

void Port::show_head(std::size_t queue) {
  Head& head = heads_[queue];
  active_ -= head.active() ? 1 : 0;
  if (queues_[queue].empty()) {
    head = Head{.stopped = head.stopped};
  } else {
    const QueuedPacket& first = queues_[queue].front();
    const bool says_zero = first.flits == 0;
    head = Head{says_zero ? 1 : first.flits, head.stopped, first.age, first.stamp, says_zero};
  }
  active_ += head.active() ? 1 : 0;
}

}  // namespace qosarb
