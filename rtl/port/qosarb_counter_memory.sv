// The memory of a port's counters: one port to write, one to read, whose answer comes a cycle later.
//
// It has no reset, and no word is read and written in one cycle. A macro of the same ports may stand
// in its place; here its words are registers.

module qosarb_counter_memory #(
  parameter  int unsigned Words      = 32,
  parameter  int unsigned Width      = 48,
  localparam int unsigned IndexWidth = qosarb_pkg::index_width(Words)
) (
  input  logic                  clk_i,

  input  logic                  write_i,
  input  logic [IndexWidth-1:0] write_index_i,
  input  logic [Width-1:0]      write_data_i,

  input  logic                  read_i,
  input  logic [IndexWidth-1:0] read_index_i,
  output logic [Width-1:0]      read_data_o
);

  logic [Width-1:0] words_q [Words];
  logic [Width-1:0] read_data_q;

  always_ff @(posedge clk_i) begin
    if (write_i) words_q[write_index_i] <= write_data_i;
    if (read_i)  read_data_q <= words_q[read_index_i];
  end

  assign read_data_o = read_data_q;

endmodule
