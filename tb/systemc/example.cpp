// The reference bound to signals: Fig. 6 of the BXIv3 paper (docs/systemc.md).
#include <cstdio>
#include <deque>

#include "qosarb/policy/bxi.hpp"
#include "qosarb/sc/port.hpp"

using Signals = qosarb::sc::PortSignals<2, 2>;  // two queues, packets of one or two flits

// Owns the queues and the link: sends what was granted, shows what is next.
struct Sender : sc_core::sc_module {
  sc_core::sc_in<bool> clk_i{"clk_i"};
  Signals& port;
  std::deque<unsigned> queues[2] = {{1, 2, 1}, {2, 1, 1}};  // lengths in flits, the head first
  unsigned cycle = 0, busy = 0;                             // flits that the link has still to send

  SC_HAS_PROCESS(Sender);
  Sender(const sc_core::sc_module_name& name, Signals& signals) : sc_module(name), port(signals) {
    SC_METHOD(clock_edge);
    sensitive << clk_i.pos();
    dont_initialize();
  }
  void clock_edge() {  // the cycle ends; what the pins show now was decided in it
    if (const int queue = port.granted(); queue >= 0) {
      busy = queues[queue].front();
      std::printf("cycle %u: queue %d, %u flit(s)\n", cycle, queue, busy);
      queues[queue].pop_front();
    }
    busy -= busy > 0 ? 1 : 0;
    ++cycle;
    qosarb::Head heads[2];
    for (int q = 0; q < 2; ++q) {
      heads[q].flits = queues[q].empty() ? 0 : queues[q].front();
    }
    port.show(heads, busy == 0);  // may be granted in the cycle that begins
  }
};

int sc_main(int, char**) {
  const qosarb::ArbiterConfig config{
      .policy = qosarb::kBxiDeficit,
      .queues = 2,
      .max_packet_flits = 2,
      .parameters = qosarb::BxiConfig{.quantum_scale = 1, .table = {{0, 2}, {1, 2}}}};
  sc_core::sc_clock clk("clk", 1, sc_core::SC_NS, 0.5, 1, sc_core::SC_NS);
  sc_core::sc_signal<bool> rst_n("rst_n", true);
  Signals signals("port");

  qosarb::sc::Port<2, 2> port("port", config);  // or the RTL: Vqosarb_port port("port");
  port.clk_i(clk);
  port.rst_ni(rst_n);
  signals.bind(port);
  Sender sender("sender", signals);
  sender.clk_i(clk);

  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  sc_core::sc_start(12, sc_core::SC_NS);
  return 0;
}
