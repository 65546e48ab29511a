// The index of the one bit that is set; 0 when none is.
//
// Algorithm: bit b of the index is the OR of all positions whose number has bit b set.
// Bound: an OR tree over half of the positions for each bit of the index.

module qosarb_onehot_to_index #(
  parameter  int unsigned Width      = 8,
  localparam int unsigned IndexWidth = qosarb_pkg::index_width(Width)
) (
  input  logic [Width-1:0]      onehot_i,
  output logic [IndexWidth-1:0] index_o
);

  if (Width == 0) begin : g_check_width
    $error("qosarb_onehot_to_index: Width must be at least 1");
  end

  for (genvar b = 0; b < IndexWidth; b++) begin : g_bit
    logic [Width-1:0] has_bit;
    for (genvar i = 0; i < Width; i++) begin : g_position
      localparam logic [31:0] Position = 32'(unsigned'(i));
      assign has_bit[i] = Position[b];
    end
    assign index_o[b] = |(onehot_i & has_bit);
  end

endmodule
