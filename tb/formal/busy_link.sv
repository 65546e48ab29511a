// A link that asks whenever it is free. A flit leaves in each cycle, the first one of a packet in that of its grant.

module busy_link #(
  parameter int unsigned FlitsWidth = 2
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  load_i,
  input  logic                  grant_valid_i,
  input  logic [FlitsWidth-1:0] flits_i,        // of the packet that is granted

  output logic                  is_free_o,
  output logic [FlitsWidth-1:0] left_o,         // flits of the packet that is on it, before this cycle
  output logic                  is_of_before_o  // that packet came before a load; in the cycle after one in any case
);

  assign is_free_o = left_o == '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      left_o         <= '0;
      is_of_before_o <= 1'b0;
    end else begin
      if (!is_free_o)         left_o <= left_o - 1'b1;
      else if (grant_valid_i) left_o <= flits_i - 1'b1;
      if (load_i)           is_of_before_o <= 1'b1;
      else if (left_o <= 1) is_of_before_o <= 1'b0;
    end
  end

endmodule
