#include "qosarb/traffic/collective.hpp"

namespace qosarb {

namespace {

/// Places counted from the root on.
int from_root(const Member& member, int root) {
  return (member.place - root + member.size()) % member.size();
}

/// The largest power of two that divides `place`, or the first one not below `size` for place 0: in
/// a binomial tree the child at distance d is there for each smaller power of two d.
int reach_of(int place, int size) {
  if (place != 0) {
    return place & -place;
  }
  int power = 1;
  while (power < size) {
    power *= 2;
  }
  return power;
}

}  // namespace

void broadcast(Steps& steps, const Member& member, int root, std::uint64_t bytes) {
  const int place = from_root(member, root);
  const int reach = reach_of(place, member.size());
  if (place != 0) {
    steps.receive(member.beside(-reach), member.tag);
    steps.next();
  }
  for (int distance = reach / 2; distance > 0; distance /= 2) {
    if (place + distance < member.size()) {
      steps.send(member.beside(distance), bytes, member.tag);
    }
  }
  steps.next();
}

void reduce(Steps& steps, const Member& member, int root, std::uint64_t bytes) {
  const int place = from_root(member, root);
  const int reach = reach_of(place, member.size());
  for (int distance = 1; distance < reach; distance *= 2) {
    if (place + distance < member.size()) {
      steps.receive(member.beside(distance), member.tag);
    }
  }
  steps.next();
  if (place != 0) {
    steps.send(member.beside(-reach), bytes, member.tag);
    steps.next();
  }
}

void allreduce(Steps& steps, const Member& member, std::uint64_t bytes) {
  int power = 1;
  while (power <= member.size() / 2) {
    power *= 2;
  }
  const int extra = member.size() - power;  // of the first 2 x extra, even ones join the odd ones
  const bool joins = member.place < 2 * extra;
  if (joins && member.place % 2 == 0) {
    steps.send(member.beside(1), bytes, member.tag);
    steps.receive(member.beside(1), member.tag);
    steps.next();
    return;
  }
  if (joins) {
    steps.receive(member.beside(-1), member.tag);
    steps.next();
  }
  const int place = joins ? member.place / 2 : member.place - extra;
  for (int distance = 1; distance < power; distance *= 2) {
    const int other = place ^ distance;
    const int partner = member.ranks[other < extra ? 2 * other + 1 : other + extra];
    steps.send(partner, bytes, member.tag);
    steps.receive(partner, member.tag);
    steps.next();
  }
  if (joins) {
    steps.send(member.beside(-1), bytes, member.tag);
    steps.next();
  }
}

void gather(Steps& steps, const Member& member, int root, const BytesOf& bytes) {
  if (member.place != root) {
    steps.send(member.ranks[root], bytes(member.place), member.tag);
  } else {
    for (int distance = 1; distance < member.size(); ++distance) {
      steps.receive(member.beside(distance), member.tag);
    }
  }
  steps.next();
}

void scatter(Steps& steps, const Member& member, int root, const BytesOf& bytes) {
  if (member.place != root) {
    steps.receive(member.ranks[root], member.tag);
  } else {
    for (int place = 0; place < member.size(); ++place) {
      if (place != root) {
        steps.send(member.ranks[place], bytes(place), member.tag);
      }
    }
  }
  steps.next();
}

void allgather(Steps& steps, const Member& member, const BytesOf& bytes) {
  for (int step = 0; step < member.size() - 1; ++step) {
    const int block = (member.place - step + member.size()) % member.size();
    steps.send(member.beside(1), bytes(block), member.tag);
    steps.receive(member.beside(-1), member.tag);
    steps.next();
  }
}

void barrier(Steps& steps, const Member& member) {
  for (int distance = 1; distance < member.size(); distance *= 2) {
    steps.send(member.beside(distance), 0, member.tag);
    steps.receive(member.beside(-distance), member.tag);
    steps.next();
  }
}

void all_to_all(Steps& steps, const Member& member, const BytesOf& bytes) {
  for (int step = 1; step < member.size(); ++step) {
    steps.send(member.beside(step), bytes((member.place + step) % member.size()), member.tag);
    steps.receive(member.beside(-step), member.tag);
    steps.next();
  }
}

}  // namespace qosarb
