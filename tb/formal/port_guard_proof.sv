// qosarb_port_guard between two copies of an arbiter, of which at most one is wrong, and a configuration whose parity
// may be: any grants of the right copy, any that the wrong one makes of its flipped bit, and a reset at any time.
//
// A copy is wrong from a flip until the arbiter's state starts over, and may then grant and tell whatever it likes.
// While the parity of the configuration is wrong both may.

module port_guard_proof #(
  parameter int unsigned Queues = 4
) (
  input  logic              clk_i,
  input  logic              reset_i,
  input  logic              flip_i,
  input  logic              which_i,  // copy
  input  logic [Queues-1:0] right_i,  // what is granted: one queue, else none
  input  logic [Queues-1:0] wrong_i,
  input  logic [Queues-1:0] other_wrong_i,
  input  logic              reports_differ_i,
  input  logic              parity_error_i,
  input  logic              shadow_is_in_force_i,
  input  logic              load_i,

  output logic              nothing_o,
  output logic              two_grants_o,
  output logic              wrong_grant_o,
  output logic              costs_more_o,
  output logic              repairs_what_is_right_o,
  output logic              repairs_twice_o,
  output logic              cover_repaired_o,
  output logic              cover_fallen_back_o
);

  logic rst_n, started_q;
  initial started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  assign rst_n = started_q & ~reset_i;

  logic              is_wrong, wrong_q, which_q, which, upset, upset_q, told;
  logic [Queues-1:0] right, first, second, grant;
  logic              restart, reload, fall_back;

  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) begin
      wrong_q <= 1'b0;
      which_q <= 1'b0;
      upset_q <= 1'b0;
    end else begin
      wrong_q <= is_wrong & ~restart;
      which_q <= which;
      upset_q <= upset & ~restart;
    end
  end

  assign is_wrong = wrong_q | flip_i;
  assign which    = wrong_q ? which_q : which_i;
  assign right    = right_i & (~right_i + 1'b1);
  assign told     = reports_differ_i & (is_wrong | parity_error_i);
  assign first    = (parity_error_i | (is_wrong & ~which)) ? wrong_i : right;
  assign second   = parity_error_i ? other_wrong_i : (is_wrong & which) ? wrong_i : right;
  assign upset    = (first != second) | told;

  qosarb_port_guard #(
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
    .grant_valid_o       (),
    .grant_o             (grant),
    .grant_queue_o       (),
    .restart_o           (restart),
    .reload_o            (reload),
    .fall_back_o         (fall_back)
  );

  // Only what the right copy grants is granted, and nothing while the parity is wrong. A grant is lost only in the
  // cycle in which the copies first differ, in the one after it, and in those with wrong parity. Without any of these
  // nothing is repaired, and a repair is one or the other.
  assign nothing_o               = 1'b0;
  assign two_grants_o            = rst_n & ((grant & (grant - 1'b1)) != '0);
  assign wrong_grant_o           = rst_n & ((grant & ~(right & {Queues{~parity_error_i}})) != '0);
  assign costs_more_o            = rst_n & (grant != right) & ~upset & ~upset_q & ~parity_error_i;
  assign repairs_what_is_right_o = rst_n & (restart | reload | fall_back) & ~upset_q & ~parity_error_i;
  assign repairs_twice_o         = rst_n & reload & fall_back;

  // To be seen: the configuration comes from the shadow once more; it becomes that of a reset.
  assign cover_repaired_o    = rst_n & reload;
  assign cover_fallen_back_o = rst_n & fall_back;

endmodule
