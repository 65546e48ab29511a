// What the parts of an output port tell each other, and what follows from the port's parameters.

package qosarb_port_pkg;

  // The parameters of qosarb_ports.
  typedef struct packed {
    logic [31:0] ports;
    logic [31:0] queues;
    logic [31:0] entries;
    logic [31:0] quantum_width;
    logic [31:0] max_packet_flits;
    logic [31:0] policies;
    logic [31:0] vcs;
    logic [31:0] burst_width;
    logic [31:0] protect;
    logic [31:0] latency;
  } build_t;

  // State for reading, as words: word StateCurrent is what CURRENT reads as, StateRemaining
  // REMAINING, StateEntry + e DEFICIT[e]. From qosarb_pkg::state_own(entries) on a policy has words
  // of its own; its slot's header says which.
  localparam int unsigned StateCurrent   = 0;
  localparam int unsigned StateRemaining = 1;
  localparam int unsigned StateEntry     = 2;

  // An access to a register. In the setup phase of a transfer each part says whether `wdata` may be
  // written at `addr` and what a read there gives; all zero where it has no register. A write that
  // was found good comes back in the access phase with `write`.
  typedef struct packed {
    logic [12:0] addr;  // of a word
    logic [31:0] wdata;
    logic        write;
  } register_request_t;

  typedef struct packed {
    logic        write_good;
    logic        read_good;
    logic [31:0] value;    // zero unless the read is good
    logic        counted;  // it is a counter of the last snapshot: of those behind the queues', this one
    logic [7:0]  counter;
  } register_answer_t;

  // The counters behind those of each queue (see qosarb_port_counters), by their places: heads that lied,
  // heads that were dropped, the stalls of trtcm by colour and queue, and of seastar-age the blocked cycles,
  // packets and flits of each virtual channel, the packets of four groups of ages, the stalled cycles.
  localparam int unsigned CounterLying   = 0;
  localparam int unsigned CounterDropped = 1;
  localparam int unsigned CounterStalls  = 2;

  // The check of a shadow configuration: what is looked at in this cycle.
  typedef struct packed {
    logic [3:0]  policy;         // a policy_e
    logic [7:0]  index;          // of the entry or class
    logic [31:0] next;           // the class that is looked at in the next cycle, one-hot
    logic        is_last_entry;  // of TABLE_ENTRIES
    logic [7:0]  entry_queue;
    logic [23:0] entry_quantum;
    logic [23:0] max_packet_flits;
    logic [31:0] queues_in_use;
    logic [31:0] seen;           // the marks of those looked at before
  } check_t;

  // What the policy that is to come says about it; all zero of the others.
  typedef struct packed {
    logic        needed;  // without, any configuration is good
    logic        is_last;
    logic [3:0]  fault;   // of what is looked at, a status_reason_e
    logic [31:0] marks;   // what it adds to `seen`
    logic        of_sls;  // a mark serves the queues of an SL, else a queue
    logic [31:0] serves;  // queues that need no mark
  } verdict_t;

  // seastar-age: the chip's age clock; what a port tells it; what is programmed for it and the input sides.
  typedef struct packed {
    logic [7:0] timestamp;
    logic       epoch;
    logic       inhibit;
  } chip_view_t;

  typedef struct packed {
    logic       left;
    logic       left_epoch;
    logic [7:0] left_age;
    logic       others_wait;
  } departure_t;

  typedef struct packed {
    logic [31:0]      age_clock_period;
    logic [31:0][5:0] age_bias;  // of each input port, {response, request}
  } chip_configuration_t;

endpackage
