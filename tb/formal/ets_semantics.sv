// ets, as it is specified: strict priority above bxi-deficit, corrected, over a table with one entry for each
// queue with a weight, in order of queue number.
//
// A transcription, not a design. The proofs hold qosarb_ets against it.

module ets_semantics #(
  parameter  int unsigned Queues         = 4,
  parameter  int unsigned QuantumWidth   = 3,
  parameter  int unsigned MaxPacketFlits = 3,
  localparam int unsigned QueueWidth     = qosarb_pkg::index_width(Queues),
  localparam int unsigned FlitsWidth     = $clog2(MaxPacketFlits + 1),
  localparam int unsigned RemainingWidth = $clog2((2 ** QuantumWidth) + MaxPacketFlits - 1)
) (
  input  logic                                  clk_i,
  input  logic                                  rst_ni,
  input  logic                                  load_i,
  // Of each queue: strict priority, or a weight, or neither if it is not in use; and its quantum.
  input  logic [Queues-1:0]                     strict_i,
  input  logic [Queues-1:0]                     weighted_i,
  input  logic [Queues-1:0][QuantumWidth-1:0]   quantum_i,
  input  logic [FlitsWidth-1:0]                 max_packet_flits_i,
  input  logic [Queues-1:0]                     active_i,
  input  logic [Queues-1:0][FlitsWidth-1:0]     flits_i,
  input  logic                                  request_i,
  output logic                                  grant_valid_o,
  output logic [QueueWidth-1:0]                 grant_queue_o,

  // The table, and its state before the arbitration of this cycle.
  output logic                                  has_table_o,
  output logic [QueueWidth-1:0]                 last_entry_o,
  output logic [Queues-1:0][QueueWidth-1:0]     entry_queue_o,
  output logic [Queues-1:0][QuantumWidth-1:0]   entry_quantum_o,
  output logic [QueueWidth-1:0]                 cur_o,
  output logic [RemainingWidth-1:0]             rem_o,
  output logic                                  fresh_o,
  output logic [Queues-1:0][RemainingWidth-1:0] deficit_o
);

  // One entry for each queue with a weight, in order of queue number.
  logic [QueueWidth:0] entries;

  always_comb begin
    entries         = '0;
    entry_queue_o   = '0;
    entry_quantum_o = '0;
    for (int unsigned q = 0; q < Queues; q++) begin
      if (weighted_i[q]) begin
        entry_queue_o[entries[QueueWidth-1:0]]   = QueueWidth'(q);
        entry_quantum_o[entries[QueueWidth-1:0]] = quantum_i[q];
        entries                                  = entries + 1'b1;
      end
    end
    has_table_o  = entries != '0;
    last_entry_o = has_table_o ? QueueWidth'(entries - 1'b1) : '0;
  end

  logic                  any_strict, table_valid;
  logic [QueueWidth-1:0] strict_queue, table_queue;

  always_comb begin
    any_strict   = 1'b0;
    strict_queue = '0;
    for (int unsigned q = 0; q < Queues; q++) begin
      if (strict_i[q] && active_i[q]) begin  // the highest-numbered one
        any_strict   = 1'b1;
        strict_queue = QueueWidth'(q);
      end
    end
  end

  always_comb begin
    grant_valid_o = 1'b0;
    grant_queue_o = '0;
    if (request_i) begin
      if (any_strict) begin
        grant_valid_o = 1'b1;
        grant_queue_o = strict_queue;
      end else begin
        grant_valid_o = table_valid;
        grant_queue_o = table_queue;
      end
    end
  end

`ifdef SEMANTICS
  `SEMANTICS #(
`else
  bxi_semantics #(
`endif
    .Queues        (Queues),
    .Entries       (Queues),
    .QuantumWidth  (QuantumWidth),
    .MaxPacketFlits(MaxPacketFlits)
  ) u_table (
    .clk_i,
    .rst_ni,
    .load_i,
    .last_entry_i      (last_entry_o),
    .queue_i           (entry_queue_o),
    .quantum_i         (entry_quantum_o),
    .deficits_on_i     (1'b1),
    .max_packet_flits_i,
    .active_i          (active_i & weighted_i),
    .flits_i,
    .request_i         (request_i & ~any_strict & has_table_o),
    .grant_valid_o     (table_valid),
    .grant_queue_o     (table_queue),
    .cur_o,
    .rem_o,
    .fresh_o,
    .deficit_o
  );

endmodule
