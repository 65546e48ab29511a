// qosarb_port_guard between two copies of the arbiters of some ports, of which at most one is wrong, and a configuration
// whose parity may be: any grants of the right copy, any that the wrong one makes of its flipped bit, and a reset at
// any time.
//
// A bit is flipped in the state of one port's arbiter, whose copy is wrong from then until that state starts over; or in
// what the ports share, by which the copies of all are wrong until the configuration comes into force once more. A wrong
// copy may grant and tell whatever it likes. While the parity of the configuration is wrong both may.

module port_guard_proof #(
  parameter  int unsigned Ports      = 2,
  parameter  int unsigned Queues     = 4,
  localparam int unsigned QueueWidth = qosarb_pkg::index_width(Queues)
) (
  input  logic                         clk_i,
  input  logic                         reset_i,
  input  logic                         flip_i,
  input  logic                         which_i,   // copy
  input  logic [Ports-1:0]             of_i,      // whose state it is, or
  input  logic                         shared_i,  // what the ports share
  input  logic [Ports-1:0][Queues-1:0] right_i,   // what is granted: one queue, else none
  input  logic [Ports-1:0][Queues-1:0] wrong_i,
  input  logic [Ports-1:0][Queues-1:0] other_wrong_i,
  input  logic [Ports-1:0]             reports_differ_i,
  input  logic                         parity_error_i,
  input  logic                         shadow_is_in_force_i,
  input  logic                         load_i,

  output logic                         not_coupled_o,
  output logic                         two_grants_o,
  output logic                         wrong_grant_o,
  output logic                         costs_more_o,
  output logic                         repairs_what_is_right_o,
  output logic                         loses_what_is_right_o,
  output logic                         repairs_twice_o,
  output logic                         finds_late_o,
  output logic                         repairs_otherwise_o,
  output logic                         tells_otherwise_o,
  output logic                         cover_repaired_o,
  output logic                         cover_fallen_back_o
);

  logic rst_n, started_q;
  initial started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  assign rst_n = started_q & ~reset_i;

  logic [Ports-1:0]             is_wrong, wrong_q, starts_over, upset, upset_q, told, restart;
  logic                         shared, shared_q, which_q, which, reload, fall_back;
  logic [Ports-1:0][Queues-1:0] right, first, second, grant;

  logic [Ports-1:0]                 grant_valid;
  logic [Ports-1:0][QueueWidth-1:0] grant_queue;

  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) begin
      wrong_q  <= '0;
      shared_q <= 1'b0;
      which_q  <= 1'b0;
      upset_q  <= '0;
    end else begin
      wrong_q  <= is_wrong & ~starts_over;
      shared_q <= shared & ~reload & ~fall_back;
      which_q  <= which;
      upset_q  <= upset & ~starts_over;
    end
  end

  assign shared      = shared_q | (flip_i & shared_i);
  assign is_wrong    = wrong_q | {Ports{shared}} | (of_i & {Ports{flip_i}});
  assign which       = (shared_q | (wrong_q != '0)) ? which_q : which_i;
  assign starts_over = restart | {Ports{reload | fall_back}};

  for (genvar p = 0; p < Ports; p++) begin : g_port
    assign right[p]  = right_i[p] & (~right_i[p] + 1'b1);
    assign told[p]   = reports_differ_i[p] & (is_wrong[p] | parity_error_i);
    assign first[p]  = (parity_error_i | (is_wrong[p] & ~which)) ? wrong_i[p] : right[p];
    assign second[p] = parity_error_i ? other_wrong_i[p] : (is_wrong[p] & which) ? wrong_i[p] : right[p];
    assign upset[p]  = (first[p] != second[p]) | told[p];
  end

  qosarb_port_guard #(
    .Ports (Ports),
    .Queues(Queues)
  ) u_engine (
    .clk_i,
    .rst_ni              (rst_n),
    .first_grant_i       (first),
    .second_grant_i      (second),
    .reports_differ_i    (told),
    .parity_error_i,
    .shadow_is_in_force_i,
    .load_i,
    .grant_valid_o       (grant_valid),
    .grant_o             (grant),
    .grant_queue_o       (grant_queue),
    .restart_o           (restart),
    .reload_o            (reload),
    .fall_back_o         (fall_back)
  );

  // Of each port: only what the right copy grants is granted, and nothing while the parity is wrong. A grant is lost only
  // in the cycle in which the copies first differ, in the one after it, and in those with wrong parity. Without any of
  // these nothing is repaired, and a repair is one or the other. A configuration is lost only while something is wrong.
  logic repairs;

  assign repairs = reload | fall_back;

  always_comb begin
    two_grants_o            = 1'b0;
    wrong_grant_o           = 1'b0;
    costs_more_o            = 1'b0;
    repairs_what_is_right_o = rst_n & repairs & (upset_q == '0) & ~parity_error_i;
    for (int unsigned p = 0; p < Ports; p++) begin
      two_grants_o            |= rst_n & ((grant[p] & (grant[p] - 1'b1)) != '0);
      wrong_grant_o           |= rst_n & ((grant[p] & ~(right[p] & {Queues{~parity_error_i}})) != '0);
      costs_more_o            |= rst_n & (grant[p] != right[p]) & ~upset[p] & ~upset_q[p] & ~parity_error_i;
      repairs_what_is_right_o |= rst_n & restart[p] & ~upset_q[p] & ~parity_error_i;
    end
  end

  assign loses_what_is_right_o = rst_n & fall_back & (wrong_q == '0) & ~shared_q & ~parity_error_i;
  assign repairs_twice_o       = rst_n & reload & fall_back;

  // Cycles since an upset was found last, this one included; at most those behind which one does not come back.
  localparam int unsigned CalmCycles = 255;

  logic [8:0] since_q;
  logic       comes_back;

  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n)                             since_q <= 9'(CalmCycles + 1);
    else if (restart != '0)                 since_q <= 9'd1;
    else if (since_q != 9'(CalmCycles + 1)) since_q <= since_q + 9'd1;
  end

  assign comes_back    = since_q <= 9'(CalmCycles);
  assign not_coupled_o = rst_n & (9'(u_engine.calm_q) + 9'd1 != since_q);

  // What a port's copies differed by in one cycle is found in the next one, and wrong parity at once by every port. The
  // configuration comes from the shadow only if that was committed and no upset has come back; else wrong parity and
  // an upset that comes back lose it, unless a commit takes effect.
  always_comb begin
    finds_late_o      = 1'b0;
    tells_otherwise_o = 1'b0;
    for (int unsigned p = 0; p < Ports; p++) begin
      finds_late_o      |= rst_n & (upset_q[p] | parity_error_i) & ~restart[p];
      tells_otherwise_o |= rst_n & ((grant_valid[p] != (grant[p] != '0)) |
                                    (grant_valid[p] & (grant[p] != Queues'(1) << grant_queue[p])));
    end
  end

  assign repairs_otherwise_o = rst_n &
      ((reload != ((restart != '0) & ~comes_back & shadow_is_in_force_i)) |
       (fall_back != ((restart != '0) & ~load_i & (comes_back | (parity_error_i & ~shadow_is_in_force_i)))));

  // To be seen: the configuration comes from the shadow once more; it becomes that of a reset.
  assign cover_repaired_o    = rst_n & reload;
  assign cover_fallen_back_o = rst_n & fall_back;

endmodule
