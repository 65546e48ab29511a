// qosarb_apb_bridge between a bus and a port: clocks that rise whenever they like, resets of either side
// at any time, any transfers, waits, data and errors, and a bus that gives transfers up.
//
// What is told here in monitors is in the clock of the side where it happens; two monitors of different
// clocks that must agree are compared as they stand.

module apb_bridge_proof #(
  parameter  int unsigned AddressWidth = 1,
  parameter  int unsigned DataWidth    = 1,
  localparam int unsigned StrobeWidth  = (DataWidth + 7) / 8
) (
  input  logic                    clk_i,  // a step: any of the clocks below may rise or fall in it
  input  logic                    s_clk_i,
  input  logic                    s_reset_i,
  input  logic                    start_i,
  input  logic                    give_up_i,
  input  logic                    write_i,
  input  logic [AddressWidth-1:0] address_i,
  input  logic [DataWidth-1:0]    data_i,
  input  logic [StrobeWidth-1:0]  strobes_i,

  input  logic                    m_clk_i,
  input  logic                    m_reset_i,
  input  logic                    ready_i,
  input  logic [DataWidth-1:0]    answer_i,
  input  logic                    error_i,

  output logic                    not_coupled_o,
  output logic                    lost_o,
  output logic                    not_asked_for_o,
  output logic                    altered_o,
  output logic                    answer_altered_o,
  output logic                    cut_short_o,
  output logic                    moved_o,
  output logic                    cover_answered_o,
  output logic                    cover_refused_o,
  output logic                    cover_after_one_given_up_o,
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
  logic [StrobeWidth-1:0]  pstrb_q;
  logic                    pready, pslverr, up;

  logic ends, goes_on, begins;
  assign ends    = psel_q & penable_q & pready;
  assign goes_on = psel_q & ~ends & ~give_up_i;
  assign begins  = start_i & ~goes_on;

  always_ff @(posedge s_clk_i or negedge s_rst_n) begin
    if (!s_rst_n) begin
      psel_q    <= 1'b0;
      penable_q <= 1'b0;
      pwrite_q  <= 1'b0;
      paddr_q   <= '0;
      pwdata_q  <= '0;
      pstrb_q   <= '0;
    end else begin
      psel_q    <= begins | goes_on;
      penable_q <= goes_on;
      if (begins) begin
        pwrite_q <= write_i;
        paddr_q  <= address_i;
        pwdata_q <= data_i;
        pstrb_q  <= strobes_i;
      end
    end
  end

  logic                    m_psel, m_penable, m_pwrite;
  logic [StrobeWidth-1:0]  m_pstrb;
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
    .s_pstrb_i  (pstrb_q),
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
    .m_pslverr_i(error_i)
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
  logic [StrobeWidth-1:0]  asked_strobes_q;
  logic                    made_error_q;
  logic                    s_takes, m_begins, m_ends;

  // While the bridge is busy with one that was given up it takes none.
  assign s_takes  = s_rst_n & psel_q & ~penable_q & up & ~u_bridge.s_busy_q;
  assign m_begins = m_rst_n & m_psel & ~m_penable;
  assign m_ends   = m_rst_n & m_psel & m_penable & ready_i;

  always_ff @(posedge s_clk_i) begin
    if (s_takes) begin
      asked_s_q       <= ~asked_m_q;
      made_s_q        <= made_m_q;
      asked_write_q   <= pwrite_q;
      asked_address_q <= paddr_q;
      asked_data_q    <= pwdata_q;
      asked_strobes_q <= pstrb_q;
    end
  end
  always_ff @(posedge m_clk_i) begin
    if (m_begins) asked_m_q <= asked_s_q;
    if (m_ends) begin
      made_m_q      <= ~made_s_q;
      made_answer_q <= answer_i;
      made_error_q  <= error_i;
    end
  end

  // The bus waits for the transfer that was taken last.
  logic waits_q, good_end;
  always_ff @(posedge s_clk_i or negedge s_rst_n) begin
    if (!s_rst_n) waits_q <= 1'b0;
    else          waits_q <= s_takes | (waits_q & psel_q & penable_q & ~ends);
  end
  assign good_end = s_rst_n & ends & ~pslverr;

  assign lost_o           = good_end & (made_s_q == made_m_q);
  assign not_asked_for_o  = m_begins & (asked_s_q == asked_m_q);
  assign altered_o        = (m_rst_n & m_psel & ((m_pwrite != asked_write_q) | (m_paddr != asked_address_q) |
                                                 (m_pwdata != asked_data_q) | (m_pstrb != asked_strobes_q))) |
                            (good_end & ((pwrite_q != asked_write_q) | (paddr_q != asked_address_q) |
                                         (pwdata_q != asked_data_q) | (pstrb_q != asked_strobes_q)));
  assign answer_altered_o = (good_end & ((prdata != made_answer_q) | made_error_q)) |
                            (s_rst_n & ends & up & waits_q & (pslverr != made_error_q));

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

  // And stands still until then, whatever the bus shows or asks for.
  logic                    stood_write_q;
  logic [AddressWidth-1:0] stood_address_q;
  logic [DataWidth-1:0]    stood_data_q;
  logic [StrobeWidth-1:0]  stood_strobes_q;
  always_ff @(posedge m_clk_i) begin
    stood_write_q   <= m_pwrite;
    stood_address_q <= m_paddr;
    stood_data_q    <= m_pwdata;
    stood_strobes_q <= m_pstrb;
  end
  assign moved_o = m_rst_n & m_penable & ((m_pwrite != stood_write_q) | (m_paddr != stood_address_q) |
                                          (m_pwdata != stood_data_q) | (m_pstrb != stood_strobes_q));

  // The invariant. A step is what any clocks and resets do to the values that stand here.
  //
  // `held`: the bridge is not up everywhere. Else, from `request` over what the port's side sees of it to `answer` and
  // what the bus' side sees of that, values are ones up to some place and zeros behind it, or the other way
  // round. What a side sees counts unless it has seen the other one's hold at the same time.
  logic       held, s_hold, m_hold, request, answer, busy, idle, asked, made;
  logic [2:0] s_age, m_age;
  logic       s_first_s_hold, s_first_m_hold, s_first_answer, s_sees_s_hold, s_sees_m_hold, s_sees_answer;
  logic       m_first_m_hold, m_first_s_hold, m_first_request, m_sees_m_hold, m_sees_s_hold, m_sees_request;
  logic [5:0] chain;

  assign s_hold  = u_bridge.s_hold_q;
  assign m_hold  = u_bridge.m_hold_q;
  assign held    = s_hold | m_hold;
  assign request = u_bridge.request_q;
  assign answer  = u_bridge.answer_q;
  assign busy    = u_bridge.s_busy_q;
  assign s_age   = u_bridge.s_age_q;
  assign m_age   = u_bridge.m_age_q;
  assign idle    = ~m_psel;
  assign asked   = asked_s_q != asked_m_q;
  assign made    = made_s_q != made_m_q;
  assign {s_first_s_hold, s_first_m_hold, s_first_answer}  = u_bridge.u_s_sees.first_q;
  assign {s_sees_s_hold, s_sees_m_hold, s_sees_answer}     = u_bridge.u_s_sees.second_q;
  assign {m_first_m_hold, m_first_s_hold, m_first_request} = u_bridge.u_m_sees.first_q;
  assign {m_sees_m_hold, m_sees_s_hold, m_sees_request}    = u_bridge.u_m_sees.second_q;
  assign chain   = {s_sees_answer & ~s_sees_m_hold, s_first_answer & ~s_first_m_hold, answer,
                    m_sees_request & ~m_sees_s_hold, m_first_request & ~m_first_s_hold, request};

  // Edges since a reset of any side are counted; a hold lasts for three of them at least, and comes by a reset
  // only. So what a side has seen of holds since then is first ones and then zeros.
  logic s_holds_valid, m_holds_valid;
  assign s_holds_valid = (s_age inside {3'b000, 3'b001, 3'b011, 3'b111}) & (s_age[2] | s_hold) &
                         (~s_age[0] | ((~s_hold | s_first_s_hold) & (~m_hold | s_first_m_hold))) &
                         (~s_age[1] | ((~s_first_s_hold | s_sees_s_hold) & (~s_first_m_hold | s_sees_m_hold)));
  assign m_holds_valid = (m_age inside {3'b000, 3'b001, 3'b011, 3'b111}) & (m_age[2] | m_hold) &
                         (~m_age[0] | ((~m_hold | m_first_m_hold) & (~s_hold | m_first_s_hold))) &
                         (~m_age[1] | ((~m_first_m_hold | m_sees_m_hold) & (~m_first_s_hold | m_sees_s_hold)));

  // Three edges after a reset no side begins anything while it, or what it sees, is held.
  logic s_rests, m_rests;
  assign s_rests = ~(s_age[2] & (s_hold | s_first_s_hold | s_sees_s_hold | m_hold | s_first_m_hold | s_sees_m_hold)) |
                   (~request & ~busy);
  assign m_rests = ~(~m_hold & (m_first_m_hold | m_sees_m_hold | s_hold | m_first_s_hold | m_sees_s_hold)) |
                   (idle & ~answer);

  // What the port's side has from before the last reset it has only if that was the bus', whose side rests.
  logic old_valid;
  assign old_valid = ~(m_hold & (~idle | answer | (~m_age[2] & (~m_first_m_hold | ~m_sees_m_hold)))) |
                     (s_first_m_hold & s_sees_m_hold & ~request & ~busy);

  // What it has seen since then, while it is held and the bus' side is not, is no request.
  logic seen_valid;
  assign seen_valid = ~m_hold | (~(m_age[0] & ~m_first_s_hold & m_first_request) &
                                 ~(m_age[1] & ~m_sees_s_hold & m_sees_request));

  // The four phases. The last are true amid resets, too.
  logic chain_valid, port_valid, front_valid;
  assign chain_valid = held | ($countones(chain[5:1] ^ chain[4:0]) <= 1);
  assign port_valid  = held | idle | (chain == 6'b000111);
  assign front_valid = ~(chain[4] & ~chain[5] & ~request) & ~(chain[1] & ~chain[2] & answer);

  // What the bus waits for the bridge is busy with, and it is what the bus shows; the port is in the phase that its
  // state tells.
  logic bus_valid, states_valid;
  assign bus_valid    = (~request | busy) & (~penable_q | psel_q) & (u_bridge.s_waits_q == waits_q) & (~waits_q | busy) &
                        (~(waits_q & penable_q) |
                         ((pwrite_q == asked_write_q) & (paddr_q == asked_address_q) & (pwdata_q == asked_data_q) &
                          (pstrb_q == asked_strobes_q)));
  assign states_valid = (u_bridge.m_state_q != 2'd3) & (m_penable == (setup_q | access_q));

  // Which transfers have been asked for and made, and what came with them.
  logic asked_valid, made_valid, data_valid;
  assign asked_valid = (~(s_age[2] & busy & ~request) | asked) & (~(m_psel & ~m_penable) | asked) &
                       (~(idle & ~answer & ((~held & request) | chain[1] | chain[2])) | asked);
  assign made_valid  = ~(request & (chain[4] | chain[5] | (~held & answer))) | made;
  assign data_valid  = (u_bridge.pwrite_q == asked_write_q) & (u_bridge.pstrb_q == asked_strobes_q) &
                       (u_bridge.paddr_q == asked_address_q) & (u_bridge.pwdata_q == asked_data_q) &
                       (u_bridge.prdata_q == made_answer_q) & (u_bridge.pslverr_q == made_error_q);

  assign not_coupled_o = ~(s_holds_valid & m_holds_valid & s_rests & m_rests & old_valid & seen_valid & chain_valid &
                           port_valid & front_valid & bus_valid & states_valid & asked_valid & made_valid & data_valid);

  // To be seen: transfers, also after one that was given up while the port had it, and after resets of both sides
  // during others.
  logic given_up_q;
  initial given_up_q = 1'b0;
  always_ff @(posedge s_clk_i) begin
    given_up_q <= given_up_q | (s_rst_n & m_rst_n & waits_q & psel_q & ~ends & give_up_i & m_psel);
  end
  logic s_fell_q, m_fell_q;
  initial begin
    s_fell_q = 1'b0;
    m_fell_q = 1'b0;
  end
  always_ff @(posedge s_clk_i) s_fell_q <= s_fell_q | (~s_rst_n & (asked_s_q != asked_m_q));
  always_ff @(posedge m_clk_i) m_fell_q <= m_fell_q | (~m_rst_n & (made_s_q == made_m_q) & s_fell_q);
  assign cover_answered_o          = good_end;
  assign cover_refused_o           = s_rst_n & m_rst_n & ends & up & waits_q & pslverr;
  assign cover_after_one_given_up_o = good_end & given_up_q & ~s_fell_q;
  assign cover_after_both_resets_o = good_end & s_fell_q & m_fell_q;

endmodule
