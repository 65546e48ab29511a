// qosarb_rr beside its specification: any traffic, stops and loads, and a reset at any time.

module rr_proof #(
  parameter  int unsigned Queues         = 4,
  parameter  int unsigned MaxPacketFlits = 3,
  localparam int unsigned QueueWidth     = qosarb_pkg::index_width(Queues),
  localparam int unsigned FlitsWidth     = $clog2(MaxPacketFlits + 1)
) (
  input  logic                              clk_i,
  input  logic                              reset_i,
  input  logic                              load_i,
  input  logic [Queues-1:0]                 valid_i,
  input  logic [Queues-1:0]                 stopped_i,
  input  logic [Queues-1:0][FlitsWidth-1:0] flits_i,
  input  logic                              request_i,

  output logic                              not_coupled_o,
  output logic                              differs_o,
  output logic                              two_grants_o,
  output logic                              grant_to_inactive_o,
  output logic                              idle_with_active_o,
  output logic                              shows_otherwise_o,
  output logic                              waits_too_long_o,
  output logic                              cover_wrap_o
);

  logic rst_n, started_q;
  initial started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  assign rst_n = started_q & ~reset_i;

  logic [Queues-1:0] active;
  assign active = valid_i & ~stopped_i;

  logic                  grant_valid, expected_valid;
  logic [Queues-1:0]     grant;
  logic [QueueWidth-1:0] grant_queue, expected_queue, last;
  logic [7:0]            current;

  qosarb_rr #(
    .Queues        (Queues),
    .Entries       (1),
    .QuantumWidth  (1),
    .MaxPacketFlits(MaxPacketFlits)
  ) u_engine (
    .clk_i,
    .rst_ni         (rst_n),
    .load_i,
    .entry_used_i   ('0),
    .entry_queue_i  ('0),
    .entry_quantum_i('0),
    .valid_i,
    .stopped_i,
    .flits_i,
    .request_i,
    .grant_valid_o  (grant_valid),
    .grant_o        (grant),
    .grant_queue_o  (grant_queue),
    .current_o      (current),
    .remaining_o    (),
    .deficit_o      ()
  );

  rr_semantics #(
    .Queues(Queues)
  ) u_semantics (
    .clk_i,
    .rst_ni       (rst_n),
    .load_i,
    .active_i     (active),
    .request_i,
    .grant_valid_o(expected_valid),
    .grant_queue_o(expected_queue),
    .last_o       (last)
  );

  // The engine's thermometer code is that of the specification's pointer.
  logic [Queues-1:0] behind;
  for (genvar q = 0; q < Queues; q++) begin : g_behind
    assign behind[q] = q > 32'(last);
  end
  assign not_coupled_o = rst_n & ((u_engine.behind_q != behind) | (current != 8'(last)));

  // Properties of the engine's outputs alone.
  grant_properties #(
    .Queues(Queues)
  ) u_properties (.*, .asked(request_i), .served('1));

  // The state for reading is the specification's.
  assign shows_otherwise_o = rst_n & (current != 8'(last));

  // Grants of others since queue 0 became active and stayed so: at most Queues - 1.
  logic [QueueWidth:0] waited_q;
  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n)                                           waited_q <= '0;
    else if (load_i || !active[0] || grant[0])            waited_q <= '0;
    else if (grant_valid && waited_q != (QueueWidth + 1)'(Queues)) waited_q <= waited_q + 1'b1;
  end
  assign waits_too_long_o = rst_n & (waited_q >= (QueueWidth + 1)'(Queues));

  // To be seen: the search passes the highest queue and goes on below.
  assign cover_wrap_o = rst_n & grant_valid & (expected_queue < last) & (last != QueueWidth'(Queues - 1));

endmodule
