// The shadow of a table: one entry is written at a time, and all are read at once.
//
// A technology's latches, or any memory whose words are all there to be read, may stand in its place; here its words
// are flip-flops. A macro with a port to read cannot: a commit brings all entries into force at the end of one cycle.
// What is in force stands in flip-flops of qosarb_port_configuration, since the engines search all entries in
// every cycle.
// A write takes effect at the end of its cycle. Nobody looks at the shadow in that cycle, so that the new word may
// show in it already; but with Protect a repair may load the shadow then, and has to find the old one.
// After a reset entry e is that of queue e mod Queues, with a quantum of the longest packet.

module qosarb_table_memory #(
  parameter  int unsigned Queues         = 8,
  parameter  int unsigned Entries        = 64,
  parameter  int unsigned QuantumWidth   = 16,
  parameter  int unsigned MaxPacketFlits = 1023,
  localparam int unsigned QueueWidth     = qosarb_pkg::index_width(Queues),
  localparam int unsigned EntryWidth     = qosarb_pkg::index_width(Entries)
) (
  input  logic                                 clk_i,
  input  logic                                 rst_ni,

  input  logic                                 write_i,
  input  logic [EntryWidth-1:0]                entry_i,
  input  logic [QueueWidth-1:0]                queue_i,
  input  logic [QuantumWidth-1:0]              quantum_i,

  output logic [Entries-1:0][QueueWidth-1:0]   entry_queue_o,
  output logic [Entries-1:0][QuantumWidth-1:0] entry_quantum_o
);

  logic [Entries-1:0][QueueWidth-1:0]   entry_queue_q;
  logic [Entries-1:0][QuantumWidth-1:0] entry_quantum_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      entry_quantum_q <= {Entries{QuantumWidth'(MaxPacketFlits)}};
      for (int unsigned e = 0; e < Entries; e++) entry_queue_q[e] <= QueueWidth'(e % Queues);
    end else if (write_i) begin
      entry_quantum_q[entry_i] <= quantum_i;
      entry_queue_q[entry_i]   <= queue_i;
    end
  end

  assign entry_queue_o   = entry_queue_q;
  assign entry_quantum_o = entry_quantum_q;

endmodule
