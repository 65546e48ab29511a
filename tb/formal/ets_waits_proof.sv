// How long a queue with a weight waits under ets: of other weights no more is granted before it than under bxi-deficit
// (see turn_waiting.sv), however often strict priority comes in between.
//
// ets_proof couples the engine and its specification; the wait is observed here.

module ets_waits_proof #(
  parameter  int unsigned Queues         = 3,
  parameter  int unsigned QuantumWidth   = 2,
  parameter  int unsigned MaxPacketFlits = 2,
  localparam int unsigned Entries        = Queues,
  localparam int unsigned QueueWidth     = qosarb_pkg::index_width(Queues),
  localparam int unsigned FlitsWidth     = $clog2(MaxPacketFlits + 1),
  localparam int unsigned RemainingWidth = $clog2((2 ** QuantumWidth) + MaxPacketFlits - 1)
) (
  input  logic                                clk_i,
  input  logic                                reset_i,
  input  logic                                load_i,
  input  logic [Queues-1:0]                   strict_i,
  input  logic [Queues-1:0]                   weighted_i,
  input  logic [Queues-1:0][QuantumWidth-1:0] quantum_i,
  input  logic [FlitsWidth-1:0]               max_packet_flits_i,
  input  logic [Queues-1:0]                   valid_i,
  input  logic [Queues-1:0]                   stopped_i,
  input  logic [Queues-1:0][FlitsWidth-1:0]   flits_i,
  input  logic                                request_i,
  input  logic [QueueWidth-1:0]               watched_i,  // the entry that waits

  output logic                                not_bounded_o,
  output logic                                waits_too_long_o,
  output logic                                cover_longest_wait_o
);

  logic not_coupled, differs, unused_two, unused_inactive, unused_idle, unused_overflows, unused_before, unused_moves,
        unused_added, unused_amid, unused_back;
  logic [Entries+15:0] unused_parts;

  ets_proof #(
    .Queues        (Queues),
    .QuantumWidth  (QuantumWidth),
    .MaxPacketFlits(MaxPacketFlits)
  ) u_pair (
    .*,
    .next_valid_i               ('0),
    .next_flits_i               ('0),
    .not_coupled_o              (not_coupled),
    .parts_o                    (unused_parts),
    .differs_o                  (differs),
    .two_grants_o               (unused_two),
    .grant_to_inactive_o        (unused_inactive),
    .idle_with_active_o         (unused_idle),
    .overflows_o                (unused_overflows),
    .table_before_strict_o      (unused_before),
    .strict_moves_the_table_o   (unused_moves),
    .cover_deficit_added_o      (unused_added),
    .cover_strict_amid_turn_o   (unused_amid),
    .cover_strict_back_to_back_o(unused_back)
  );

  // The entry, chosen with the table; each queue with a weight has one.
  logic [QueueWidth-1:0] watched_q, watched, queue;

  always_ff @(posedge clk_i) begin
    if (load_i) watched_q <= watched_i;
  end

  assign watched = (32'(watched_q) < Entries) ? watched_q : '0;

  assign queue = u_pair.entry_queue[watched];

  logic unbounded, bound_met, waits;

  turn_waiting #(
    .Entries       (Entries),
    .QuantumWidth  (QuantumWidth),
    .RemainingWidth(RemainingWidth),
    .FlitsWidth    (FlitsWidth)
  ) u_waiting (
    .clk_i,
    .rst_ni        (u_pair.rst_n),
    .waits_i       (u_pair.has_table & ~load_i & u_pair.active[queue]),
    .served_i      (u_pair.grant[queue]),
    .sent_i        (((u_pair.grant & u_pair.weighted) != '0) ? u_pair.flits[u_pair.grant_queue] : '0),
    .most_deficit_i(u_pair.max_packet_flits - 1'b1),
    .last_entry_i  (u_pair.last_entry),
    .own_i         (u_pair.entry_used & (Entries'(1) << watched)),
    .quantum_i     (u_pair.entry_quantum),
    .cur_i         (u_pair.cur),
    .rem_i         (u_pair.rem),
    .fresh_i       (u_pair.fresh),
    .deficit_i     (u_pair.expected_deficit),
    .unbounded_o   (unbounded),
    .too_long_o    (waits_too_long_o),
    .met_o         (bound_met),
    .waits_o       (waits)
  );

  // To be seen: the bound is met with deficits, and strict priority goes first within the same wait.
  logic amid_q;

  initial amid_q = 1'b0;
  always_ff @(posedge clk_i) amid_q <= u_pair.rst_n & waits & (amid_q | ((u_pair.grant & u_pair.strict_q) != '0));

  assign cover_longest_wait_o = bound_met & amid_q & (u_pair.max_packet_flits != FlitsWidth'(1));
  assign not_bounded_o        = not_coupled | differs | (u_pair.has_table & unbounded);

endmodule
