// qosarb_apb_bridge between a bus and a port: clocks that rise whenever they like, resets of either side
// at any time, any transfers, waits and data.
//
// What is told here in monitors is in the clock of the side where it happens; two monitors of different
// clocks that must agree are compared as they stand.

module apb_bridge_proof #(
  parameter int unsigned AddressWidth = 1,
  parameter int unsigned DataWidth    = 1
) (
  input  logic                    clk_i,  // a step: any of the clocks below may rise or fall in it
  input  logic                    s_clk_i,
  input  logic                    s_reset_i,
  input  logic                    start_i,
  input  logic                    write_i,
  input  logic [AddressWidth-1:0] address_i,
  input  logic [DataWidth-1:0]    data_i,

  input  logic                    m_clk_i,
  input  logic                    m_reset_i,
  input  logic                    ready_i,
  input  logic [DataWidth-1:0]    answer_i,

  output logic                    nothing_o,
  output logic                    lost_o,
  output logic                    not_asked_for_o,
  output logic                    altered_o,
  output logic                    answer_altered_o,
  output logic                    cut_short_o,
  output logic                    cover_answered_o,
  output logic                    cover_after_both_resets_o
);

  // Resets fall at any time and are released by an edge; both are low when time begins.
  logic s_rst_n, m_rst_n, s_started_q, m_started_q;
  initial begin
    s_rst_n     = 1'b0;
    m_rst_n     = 1'b0;
    s_started_q = 1'b0;
    m_started_q = 1'b0;
  end
  always_ff @(posedge s_clk_i) s_started_q <= 1'b1;
  always_ff @(posedge m_clk_i) m_started_q <= 1'b1;
  always_ff @(posedge s_clk_i or posedge s_reset_i) begin
    if (s_reset_i) s_rst_n <= 1'b0;
    else           s_rst_n <= s_started_q;
  end
  always_ff @(posedge m_clk_i or posedge m_reset_i) begin
    if (m_reset_i) m_rst_n <= 1'b0;
    else           m_rst_n <= m_started_q;
  end

  // The bus.
  logic                    psel_q, penable_q, pwrite_q;
  logic [AddressWidth-1:0] paddr_q;
  logic [DataWidth-1:0]    pwdata_q, prdata;
  logic                    pready, pslverr, up;

  logic ends, begins;
  assign ends   = psel_q & penable_q & pready;
  assign begins = start_i & (~psel_q | ends);

  always_ff @(posedge s_clk_i or negedge s_rst_n) begin
    if (!s_rst_n) begin
      psel_q    <= 1'b0;
      penable_q <= 1'b0;
      pwrite_q  <= 1'b0;
      paddr_q   <= '0;
      pwdata_q  <= '0;
    end else begin
      psel_q    <= begins | (psel_q & ~ends);
      penable_q <= psel_q & ~ends;
      if (begins) begin
        pwrite_q <= write_i;
        paddr_q  <= address_i;
        pwdata_q <= data_i;
      end
    end
  end

  logic                    m_psel, m_penable, m_pwrite, m_pstrb;
  logic [AddressWidth-1:0] m_paddr;
  logic [DataWidth-1:0]    m_pwdata;

  qosarb_apb_bridge #(
    .AddressWidth(AddressWidth),
    .DataWidth   (DataWidth)
  ) u_bridge (
    .s_clk_i,
    .s_rst_ni   (s_rst_n),
    .s_psel_i   (psel_q),
    .s_penable_i(penable_q),
    .s_pwrite_i (pwrite_q),
    .s_paddr_i  (paddr_q),
    .s_pwdata_i (pwdata_q),
    .s_pstrb_i  (pwrite_q),
    .s_pready_o (pready),
    .s_prdata_o (prdata),
    .s_pslverr_o(pslverr),
    .s_up_o     (up),
    .m_clk_i,
    .m_rst_ni   (m_rst_n),
    .m_psel_o   (m_psel),
    .m_penable_o(m_penable),
    .m_pwrite_o (m_pwrite),
    .m_paddr_o  (m_paddr),
    .m_pwdata_o (m_pwdata),
    .m_pstrb_o  (m_pstrb),
    .m_pready_i (ready_i),
    .m_prdata_i (answer_i),
    .m_pslverr_i(1'b0)
  );

  // `asked`: a transfer of the bus has not begun at the port; `made`: it has ended there. Each is the
  // difference of two flags, one in each clock. They outlive resets.
  logic asked_s_q, asked_m_q, made_s_q, made_m_q;
  initial begin
    asked_s_q = 1'b0;
    asked_m_q = 1'b0;
    made_s_q  = 1'b0;
    made_m_q  = 1'b0;
  end

  logic                    asked_write_q;
  logic [AddressWidth-1:0] asked_address_q;
  logic [DataWidth-1:0]    asked_data_q, made_answer_q;
  logic                    s_takes, m_begins, m_ends;

  assign s_takes  = s_rst_n & psel_q & ~penable_q & up;
  assign m_begins = m_rst_n & m_psel & ~m_penable;
  assign m_ends   = m_rst_n & m_psel & m_penable & ready_i;

  always_ff @(posedge s_clk_i) begin
    if (s_takes) begin
      asked_s_q       <= ~asked_m_q;
      made_s_q        <= made_m_q;
      asked_write_q   <= pwrite_q;
      asked_address_q <= paddr_q;
      asked_data_q    <= pwdata_q;
    end
  end
  always_ff @(posedge m_clk_i) begin
    if (m_begins) asked_m_q <= asked_s_q;
    if (m_ends) begin
      made_m_q      <= ~made_s_q;
      made_answer_q <= answer_i;
    end
  end

  logic good_end;
  assign good_end = s_rst_n & ends & ~pslverr;

  assign nothing_o        = 1'b0;
  assign lost_o           = good_end & (made_s_q == made_m_q);
  assign not_asked_for_o  = m_begins & (asked_s_q == asked_m_q);
  assign altered_o        = m_rst_n & m_psel & ((m_pwrite != asked_write_q) | (m_paddr != asked_address_q) |
                                                (m_pwdata != asked_data_q) | (m_pstrb != asked_write_q));
  assign answer_altered_o = good_end & (prdata != made_answer_q);

  // A transfer that is open at the port goes on to its end.
  logic setup_q, access_q;
  always_ff @(posedge m_clk_i or negedge m_rst_n) begin
    if (!m_rst_n) begin
      setup_q  <= 1'b0;
      access_q <= 1'b0;
    end else begin
      setup_q  <= m_psel & ~m_penable;
      access_q <= m_psel & m_penable & ~ready_i;
    end
  end
  assign cut_short_o = m_rst_n & (((setup_q | access_q) & ~(m_psel & m_penable)) |
                                  (m_penable & ~(setup_q | access_q)));

  // To be seen: transfers, also after resets of both sides during others.
  logic s_fell_q, m_fell_q;
  initial begin
    s_fell_q = 1'b0;
    m_fell_q = 1'b0;
  end
  always_ff @(posedge s_clk_i) s_fell_q <= s_fell_q | (~s_rst_n & (asked_s_q != asked_m_q));
  always_ff @(posedge m_clk_i) m_fell_q <= m_fell_q | (~m_rst_n & (made_s_q == made_m_q) & s_fell_q);
  assign cover_answered_o          = good_end;
  assign cover_after_both_resets_o = good_end & s_fell_q & m_fell_q;

endmodule
