// The first request behind a position, circularly, the position itself being the last; and who was passed on the
// way to it: those between the position and the winner.

module circular_search #(
  parameter  int unsigned Width      = 4,
  localparam int unsigned IndexWidth = qosarb_pkg::index_width(Width)
) (
  input  logic [Width-1:0]      request_i,
  input  logic [IndexWidth-1:0] position_i,
  output logic                  any_o,
  output logic [IndexWidth-1:0] index_o,   // 0 when nobody requests
  output logic [Width-1:0]      passed_o   // means nothing when nobody requests
);

  always_comb begin
    any_o   = 1'b0;
    index_o = '0;
    for (int unsigned i = 0; i < Width; i++) begin
      if (!any_o && i > 32'(position_i) && request_i[i]) begin
        any_o   = 1'b1;
        index_o = IndexWidth'(i);
      end
    end
    for (int unsigned i = 0; i < Width; i++) begin
      if (!any_o && request_i[i]) begin
        any_o   = 1'b1;
        index_o = IndexWidth'(i);
      end
    end
    for (int unsigned i = 0; i < Width; i++) begin
      passed_o[i] = (index_o > position_i) ? (i > 32'(position_i) && i < 32'(index_o))
                                           : (i > 32'(position_i) || i < 32'(index_o));
    end
  end

endmodule
