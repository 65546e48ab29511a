// An APB4 bridge from the clock of the bus to that of the port.
//
// The bus is on the side s_, the port on the side m_; their clocks need have nothing to do with each
// other. One transfer at a time goes through:
//   1. In the setup phase the side s_ keeps address, data and strobes in registers and raises
//      `request`; the bus waits (`s_pready_o` low).
//   2. The side m_ sees it two of its edges later, and makes the transfer at the port from the same
//      registers. They stand still from the edge that raises the request until the answer, longer than
//      any synchronizer takes: so they cross without one, as multi-cycle paths of two m_ periods.
//   3. When the port is ready the side m_ keeps data and error in registers and raises `answer`. The
//      side s_ sees it, two of its edges later, ends the transfer of the bus and lowers `request`;
//      then `answer` falls, and only then does the next request rise. Four phases, not two: a request
//      that falls because its side is reset starts nothing.
// So of a transfer that the bus sees end without an error, the port has seen exactly one, with the same
// address and data; transfers keep their order as there is never more than one.
// Resets come at any time, at either side alone, each released in step with its clock. A transfer at the
// port is never cut short by a reset of the bus: it is ended and its answer dropped. A transfer that is
// under way when the port is reset, or that comes while the bridge is not up, ends with `s_pslverr_o`;
// the first may have been made. `s_up_o` says that the bridge is up. How a side learns that the other
// one has forgotten:
//   4. Each side has a flip-flop `hold`, which a reset of any side sets at once. A side takes its own back
//      when three of its edges have passed since that reset, so that its synchronizer holds nothing from
//      before, it has nothing under way, and sees nothing from the other side. It is up when it sees
//      neither hold. As request, answer and holds are seen equally late, a request from before a reset
//      has gone from the other side's synchronizer before the bridge is up again.
// The registers that cross have no reset, so that a reset at one side does not move them under the other.
// A transfer that the bus gives up, which APB forbids and a time limit or a reset of the bus' master alone does,
// goes on to its end at the port, and its answer is dropped. One that the bus begins before that ends at once, with
// `s_pslverr_o`, and is not made.
// `m_rst_ni` is the chip's reset, not what qosarb_port_reset makes of it: or the answer to a write of
// SOFT_RESET would be lost in the reset that it asks for, and end with an error.
// Bound, with both clocks running: a transfer takes 2 to 3 edges of m_, what the port takes, and 2 to 3 edges
// of s_; as many of both again pass before the next request crosses.
// Paper: R. Ginosar, "Metastability and synchronizers: a tutorial", IEEE Design & Test 28(5), 2011.
// tb/formal proves what is said above, at free clocks and resets.

module qosarb_apb_bridge #(
  parameter  int unsigned AddressWidth = 13,
  parameter  int unsigned DataWidth    = 32,
  localparam int unsigned StrobeWidth  = (DataWidth + 7) / 8
) (
  // The slave, on the clock of the bus.
  input  logic                    s_clk_i,
  input  logic                    s_rst_ni,
  input  logic                    s_psel_i,
  input  logic                    s_penable_i,
  input  logic                    s_pwrite_i,
  input  logic [AddressWidth-1:0] s_paddr_i,
  input  logic [DataWidth-1:0]    s_pwdata_i,
  input  logic [StrobeWidth-1:0]  s_pstrb_i,
  output logic                    s_pready_o,
  output logic [DataWidth-1:0]    s_prdata_o,
  output logic                    s_pslverr_o,
  output logic                    s_up_o,

  // The master, on the clock of the port.
  input  logic                    m_clk_i,
  input  logic                    m_rst_ni,
  output logic                    m_psel_o,
  output logic                    m_penable_o,
  output logic                    m_pwrite_o,
  output logic [AddressWidth-1:0] m_paddr_o,
  output logic [DataWidth-1:0]    m_pwdata_o,
  output logic [StrobeWidth-1:0]  m_pstrb_o,
  input  logic                    m_pready_i,
  input  logic [DataWidth-1:0]    m_prdata_i,
  input  logic                    m_pslverr_i
);

  if (AddressWidth < 1 || DataWidth < 1) begin : g_check_widths
    $error("qosarb_apb_bridge: AddressWidth and DataWidth must be at least 1");
  end

  // What crosses. Address, data and strobes are those of the side s_, what is read that of m_.
  logic                    s_hold_q, m_hold_q, request_q, answer_q;
  logic                    pwrite_q;
  logic [AddressWidth-1:0] paddr_q;
  logic [DataWidth-1:0]    pwdata_q, prdata_q;
  logic [StrobeWidth-1:0]  pstrb_q;
  logic                    pslverr_q;

  logic       any_rst_n;
  logic [2:0] s_age_q, m_age_q;  // edges since a reset
  assign any_rst_n = s_rst_ni & m_rst_ni;

  // The side of the bus.
  logic s_sees_s_hold, s_sees_m_hold, s_answer, s_up, s_begin, s_goes_on, s_busy_q, s_busy_d, s_answered;
  logic s_waits_q;  // the bus still waits for what the bridge is busy with

  qosarb_synchronizer #(
    .Width(3),
    .Reset(3'b110)
  ) u_s_sees (
    .clk_i (s_clk_i),
    .rst_ni(s_rst_ni),
    .d_i   ({s_hold_q, m_hold_q, answer_q}),
    .q_o   ({s_sees_s_hold, s_sees_m_hold, s_answer})
  );

  always_ff @(posedge s_clk_i or negedge any_rst_n) begin
    if (!any_rst_n) begin
      s_age_q  <= '0;
      s_hold_q <= 1'b1;
    end else begin
      s_age_q  <= {s_age_q[1:0], 1'b1};
      s_hold_q <= s_hold_q & ~(s_age_q[2] & ~request_q & ~s_answer);
    end
  end

  assign s_up       = ~s_sees_s_hold & ~s_sees_m_hold;
  assign s_begin    = s_psel_i & ~s_penable_i & s_up & ~s_busy_q;
  assign s_answered = request_q & s_answer;
  assign s_goes_on  = s_up & ~s_answered;
  assign s_busy_d   = s_begin | (s_busy_q & s_goes_on);

  always_ff @(posedge s_clk_i or negedge s_rst_ni) begin
    if (!s_rst_ni) begin
      s_busy_q  <= 1'b0;
      s_waits_q <= 1'b0;
      request_q <= 1'b0;
    end else begin
      s_busy_q  <= s_busy_d;
      s_waits_q <= s_begin | (s_waits_q & s_psel_i & s_penable_i & s_goes_on);
      request_q <= s_up & s_busy_d & ~s_answer;
    end
  end

  always_ff @(posedge s_clk_i) begin
    if (s_begin) begin
      pwrite_q <= s_pwrite_i;
      paddr_q  <= s_paddr_i;
      pwdata_q <= s_pwdata_i;
      pstrb_q  <= s_pstrb_i;
    end
  end

  assign s_up_o      = s_up;
  assign s_pready_o  = ~s_waits_q | ~s_goes_on;
  assign s_pslverr_o = s_psel_i & s_penable_i & (~s_waits_q | ~s_up | (s_answered & pslverr_q));
  assign s_prdata_o  = prdata_q;

  // The side of the port.
  typedef enum logic [1:0] {
    StIdle,
    StSetup,
    StAccess
  } state_e;

  state_e m_state_q, m_state_d;
  logic   m_sees_m_hold, m_sees_s_hold, m_request, m_up, m_end;

  qosarb_synchronizer #(
    .Width(3),
    .Reset(3'b110)
  ) u_m_sees (
    .clk_i (m_clk_i),
    .rst_ni(m_rst_ni),
    .d_i   ({m_hold_q, s_hold_q, request_q}),
    .q_o   ({m_sees_m_hold, m_sees_s_hold, m_request})
  );

  always_ff @(posedge m_clk_i or negedge any_rst_n) begin
    if (!any_rst_n) begin
      m_age_q  <= '0;
      m_hold_q <= 1'b1;
    end else begin
      m_age_q  <= {m_age_q[1:0], 1'b1};
      m_hold_q <= m_hold_q & ~(m_age_q[2] & (m_state_q == StIdle) & ~answer_q & ~m_request);
    end
  end

  assign m_up  = ~m_sees_m_hold & ~m_sees_s_hold;
  assign m_end = (m_state_q == StAccess) & m_pready_i;

  always_comb begin
    m_state_d = m_state_q;
    unique case (m_state_q)
      StIdle:   if (m_up && m_request && !answer_q) m_state_d = StSetup;
      StSetup:  m_state_d = StAccess;
      StAccess: if (m_pready_i) m_state_d = StIdle;
      default:  m_state_d = StIdle;
    endcase
  end

  always_ff @(posedge m_clk_i or negedge m_rst_ni) begin
    if (!m_rst_ni) begin
      m_state_q <= StIdle;
      answer_q  <= 1'b0;
    end else begin
      m_state_q <= m_state_d;
      answer_q  <= m_end | (answer_q & m_request);
    end
  end

  always_ff @(posedge m_clk_i) begin
    if (m_end) begin
      prdata_q  <= m_prdata_i;
      pslverr_q <= m_pslverr_i;
    end
  end

  assign m_psel_o    = m_state_q != StIdle;
  assign m_penable_o = m_state_q == StAccess;
  assign m_pwrite_o  = pwrite_q;
  assign m_paddr_o   = paddr_q;
  assign m_pwdata_o  = pwdata_q;
  assign m_pstrb_o   = pstrb_q;

endmodule
