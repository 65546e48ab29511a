// The lines of docs/systemc.md that bind the reference, in a program: the CMake target cuts them
// out of the page. The queues are those of example.cpp, in a module with pins of its own.
#include <cstdio>
#include <deque>

#include "systemc_page_includes.hpp"

// Owns the queues and the link, at the pins that the page names.
struct Owner : sc_core::sc_module {
  using Size = qosarb::sc::PortSize<8, 1023>;

  sc_core::sc_in<bool> clk_i{"clk_i"};
  sc_core::sc_out<Size::PerQueue> valid_o{"valid_o"};
  sc_core::sc_out<Size::PerQueue> pfc_stop_o{"pfc_stop_o"};
  sc_core::sc_out<Size::Flits> flits_o{"flits_o"};
  sc_core::sc_out<bool> request_o{"request_o"};
  sc_core::sc_in<bool> grant_valid_i{"grant_valid_i"};
  sc_core::sc_in<Size::QueueIndex> grant_queue_i{"grant_queue_i"};

  std::deque<unsigned> queues[2] = {{1, 2, 1}, {2, 1, 1}};  // lengths in flits, the head first
  unsigned cycle = 0, busy = 0;                             // flits that the link has still to send

  SC_HAS_PROCESS(Owner);
  explicit Owner(const sc_core::sc_module_name& name) : sc_module(name) {
    SC_METHOD(clock_edge);
    sensitive << clk_i.pos();
    dont_initialize();
  }
  void clock_edge() {  // the cycle ends; what the pins show now was decided in it
    if (grant_valid_i.read()) {
      const unsigned queue = grant_queue_i.read();
      busy = queues[queue].front();
      std::printf("cycle %u: queue %u, %u flit(s)\n", cycle, queue, busy);
      queues[queue].pop_front();
    }
    busy -= busy > 0 ? 1 : 0;
    ++cycle;
    qosarb::Head heads[2];
    for (int q = 0; q < 2; ++q) {
      heads[q].flits = queues[q].empty() ? 0 : queues[q].front();
    }
    const Size::Shown pins = Size::shown(heads);
    valid_o.write(pins.valid);
    pfc_stop_o.write(pins.pfc_stop);
    flits_o.write(pins.flits);
    request_o.write(busy == 0);  // may be granted in the cycle that begins
  }
};

int sc_main(int, char**) {
  sc_core::sc_clock clk("clk", 1, sc_core::SC_NS, 0.5, 1, sc_core::SC_NS);
  sc_core::sc_signal<bool> rst_n("rst_n", true);
  Owner mine("mine");
  mine.clk_i(clk);

#include "systemc_page_lines.hpp"

  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  sc_core::sc_start(12, sc_core::SC_NS);
  return 0;
}
