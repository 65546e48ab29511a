// Two queues that never run dry, of packets of 4 and of 3 flits: whose turn it is.
#include <array>
#include <iostream>
#include <memory>

#include "qosarb/config/arbiter_file.hpp"
#include "qosarb/config/input_error.hpp"
#include "qosarb/policy/arbiter.hpp"

int main(int /*argc*/, char** argv) try {
  const std::unique_ptr<qosarb::Arbiter> arbiter =
      qosarb::make_reference(qosarb::load_arbiter(argv[1]));
  const std::array<qosarb::Head, 2> heads = {qosarb::Head{.flits = 4}, qosarb::Head{.flits = 3}};
  qosarb::Cycle now = 0;
  for (int packet = 0; packet < 12; ++packet) {
    arbiter->advance(now, heads);  // only trtcm and seastar-age need to know of the time
    const qosarb::Decision decision = arbiter->decide(now, heads);
    std::cout << decision.queue << ' ';
    now += decision.flits;  // the link takes a flit a cycle
  }
  std::cout << '\n';
} catch (const qosarb::InputError& error) {
  std::cerr << error.what() << '\n';
  return 2;
}
