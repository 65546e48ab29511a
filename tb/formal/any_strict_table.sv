// Any arbitration table that a strict commit lets through, which changes by loads only: a longest packet within
// 1..MaxPacketFlits, entries and queues that exist, quanta that hold the longest packet; or, if it is empty, one that
// is not asked. What stands in entries that are not used is of no account. Before a load it is any of these, too.

module any_strict_table
  import clamp_pkg::clamped;
#(
  parameter  int unsigned Queues         = 4,
  parameter  int unsigned Entries        = 4,
  parameter  int unsigned QuantumWidth   = 3,
  parameter  int unsigned MaxPacketFlits = 3,
  parameter  bit          MayBeEmpty     = 1'b0,
  localparam int unsigned QueueWidth     = qosarb_pkg::index_width(Queues),
  localparam int unsigned EntryWidth     = qosarb_pkg::index_width(Entries),
  localparam int unsigned FlitsWidth     = $clog2(MaxPacketFlits + 1)
) (
  input  logic                                 clk_i,
  input  logic                                 load_i,
  input  logic                                 empty_i,
  input  logic [EntryWidth-1:0]                last_entry_i,
  input  logic [Entries-1:0][QueueWidth-1:0]   entry_queue_i,
  input  logic [Entries-1:0][QuantumWidth-1:0] entry_quantum_i,
  input  logic [FlitsWidth-1:0]                max_packet_flits_i,

  output logic                                 empty,
  output logic [EntryWidth-1:0]                last_entry,
  output logic [Entries-1:0]                   entry_used,
  output logic [Entries-1:0][QueueWidth-1:0]   entry_queue,
  output logic [Entries-1:0][QuantumWidth-1:0] entry_quantum,
  output logic [FlitsWidth-1:0]                max_packet_flits
);

  logic                                 empty_q;
  logic [EntryWidth-1:0]                last_entry_q;
  logic [Entries-1:0][QueueWidth-1:0]   queue_q;
  logic [Entries-1:0][QuantumWidth-1:0] quantum_q;
  logic [FlitsWidth-1:0]                max_packet_flits_q;

  always_ff @(posedge clk_i) begin
    if (load_i) begin
      empty_q            <= empty_i;
      last_entry_q       <= last_entry_i;
      queue_q            <= entry_queue_i;
      quantum_q          <= entry_quantum_i;
      max_packet_flits_q <= max_packet_flits_i;
    end
  end

  assign empty            = MayBeEmpty & empty_q;
  assign last_entry       = EntryWidth'(clamped(32'(last_entry_q), 0, Entries - 1));
  assign max_packet_flits = FlitsWidth'(clamped(32'(max_packet_flits_q), 1, MaxPacketFlits));

  for (genvar e = 0; e < Entries; e++) begin : g_entry
    logic [31:0] least;
    assign entry_used[e]    = ~empty & (e <= 32'(last_entry));
    assign least            = entry_used[e] ? 32'(max_packet_flits) : '0;
    assign entry_queue[e]   = QueueWidth'(clamped(32'(queue_q[e]), 0, Queues - 1));
    assign entry_quantum[e] = QuantumWidth'(clamped(32'(quantum_q[e]), least, 2 ** QuantumWidth - 1));
  end

endmodule
