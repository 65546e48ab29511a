// The network of scenarios that need no other.
#pragma once

#include <fmt/format.h>

#include <string>

namespace qosarb::test {

/// A scenario on four hosts at one switch, round robin over so many queues; `rest` has its traffic
/// and run.
inline std::string on_a_switch(int queues, const std::string& rest) {
  return fmt::format("arbiter: {{policy: rr, queues: {}, max_packet_flits: 16}}\n", queues) +
         "network:\n"
         "  topology: {kind: single-switch, ports: 4}\n"
         "  link: {gbps: 400, delay_ns: 25}\n"
         "  flit_bytes: 64\n"
         "  switch: {input_queue_flits: 768, output_queue_flits: 768, crossbar_speedup: 2, "
         "flow_control: pfc}\n" +
         rest;
}

}  // namespace qosarb::test
