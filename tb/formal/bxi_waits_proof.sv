// How long a queue waits for its turn under bxi-basic and bxi-deficit, any number of entries being its own (see
// turn_waiting.sv).
//
// bxi_proof couples the engine and its specification; the wait is observed here.

module bxi_waits_proof #(
  parameter  int unsigned Queues         = 3,
  parameter  int unsigned Entries        = 4,
  parameter  int unsigned QuantumWidth   = 3,
  parameter  int unsigned MaxPacketFlits = 3,
  parameter  bit          Deficits       = 1'b0,
  localparam int unsigned QueueWidth     = qosarb_pkg::index_width(Queues),
  localparam int unsigned EntryWidth     = qosarb_pkg::index_width(Entries),
  localparam int unsigned FlitsWidth     = $clog2(MaxPacketFlits + 1),
  localparam int unsigned RemainingWidth = $clog2((2 ** QuantumWidth) + MaxPacketFlits - 1)
) (
  input  logic                                 clk_i,
  input  logic                                 reset_i,
  input  logic                                 load_i,
  input  logic [EntryWidth-1:0]                last_entry_i,
  input  logic [Entries-1:0][QueueWidth-1:0]   entry_queue_i,
  input  logic [Entries-1:0][QuantumWidth-1:0] entry_quantum_i,
  input  logic [FlitsWidth-1:0]                max_packet_flits_i,
  input  logic [Queues-1:0]                    valid_i,
  input  logic [Queues-1:0]                    stopped_i,
  input  logic [Queues-1:0][FlitsWidth-1:0]    flits_i,
  input  logic                                 request_i,
  input  logic [QueueWidth-1:0]                watched_i,  // the queue that waits

  output logic                                 not_bounded_o,
  output logic                                 waits_too_long_o,
  output logic                                 cover_longest_wait_o
);

  logic not_coupled, differs, unused_two, unused_inactive, unused_idle, unused_overflows, unused_added, unused_exact,
        unused_back;
  logic [Entries+15:0] unused_parts;

  bxi_proof #(
    .Queues        (Queues),
    .Entries       (Entries),
    .QuantumWidth  (QuantumWidth),
    .MaxPacketFlits(MaxPacketFlits),
    .Deficits      (Deficits)
  ) u_pair (
    .*,
    .next_valid_i           ('0),
    .next_flits_i           ('0),
    .not_coupled_o          (not_coupled),
    .parts_o                (unused_parts),
    .differs_o              (differs),
    .two_grants_o           (unused_two),
    .grant_to_inactive_o    (unused_inactive),
    .idle_with_active_o     (unused_idle),
    .overflows_o            (unused_overflows),
    .cover_deficit_added_o  (unused_added),
    .cover_exact_depletion_o(unused_exact),
    .cover_back_to_back_o   (unused_back)
  );

  // The queue, chosen with the table: one that has an entry.
  logic [QueueWidth-1:0] watched_q;
  logic [Entries-1:0]    own;

  always_ff @(posedge clk_i) begin
    if (load_i) watched_q <= watched_i;
  end

  for (genvar e = 0; e < Entries; e++) begin : g_own
    assign own[e] = u_pair.entry_used[e] & (u_pair.entry_queue[e] == watched_q);
  end

  logic unbounded, bound_met, unused_waits;

  turn_waiting #(
    .Entries       (Entries),
    .QuantumWidth  (QuantumWidth),
    .RemainingWidth(RemainingWidth),
    .FlitsWidth    (FlitsWidth)
  ) u_waiting (
    .clk_i,
    .rst_ni        (u_pair.rst_n),
    .waits_i       (~load_i & u_pair.active[watched_q]),
    .served_i      (u_pair.grant[watched_q]),
    .sent_i        (u_pair.grant_valid ? u_pair.flits[u_pair.grant_queue] : '0),
    .most_deficit_i(Deficits ? u_pair.max_packet_flits - 1'b1 : '0),
    .last_entry_i  (u_pair.last_entry),
    .own_i         (own),
    .quantum_i     (u_pair.entry_quantum),
    .cur_i         (u_pair.cur),
    .rem_i         (u_pair.rem),
    .fresh_i       (u_pair.fresh),
    .deficit_i     (u_pair.expected_deficit),
    .unbounded_o   (unbounded),
    .too_long_o    (waits_too_long_o),
    .met_o         (bound_met),
    .waits_o       (unused_waits)
  );

  // To be seen: the bound is met between two different entries of the queue, with deficits where there are any.
  assign cover_longest_wait_o = bound_met & ((own & (own - 1'b1)) != '0) &
                                (~Deficits | (u_pair.max_packet_flits != FlitsWidth'(1)));
  assign not_bounded_o        = not_coupled | differs | unbounded;

endmodule
