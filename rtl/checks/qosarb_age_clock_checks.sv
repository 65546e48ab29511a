// Assertions for whoever integrates qosarb_age_clock; see qosarb_port_checks.
//
//   bind qosarb_age_clock qosarb_age_clock_checks #(
//     .MaxPackets(MaxPackets), .MaxArrivals(MaxArrivals), .Outputs(Outputs), .TimestampWidth(TimestampWidth)
//   ) u_checks (.*);
//
// Of the surroundings:
//   arrivals_are_possible   no more packets arrive in a cycle than MaxArrivals
//   chip_has_room        no more packets are in the chip than MaxPackets
//   leaves_what_was_there   no packet leaves that did not arrive: none is told twice
//   count_is_true        no count was too high: each packet that was dropped was told
// Of the clock:
//   time_goes_on         the timestamp stays, or goes to the next one; the epoch changes when it goes back to 0
//   no_two_epochs_behind the epoch does not change while packets of the other one are in the chip
// Each is disabled in reset.

module qosarb_age_clock_checks #(
  parameter  int unsigned MaxPackets     = 8191,
  parameter  int unsigned MaxArrivals    = 7,
  parameter  int unsigned Outputs        = 7,
  parameter  int unsigned TimestampWidth = 8,
  localparam int unsigned CountWidth     = $clog2(MaxPackets + 1),
  localparam int unsigned ArrivalWidth   = $clog2(MaxArrivals + 1)
) (
  input logic                       clk_i,
  input logic                       rst_ni,
  input logic [ArrivalWidth-1:0]    arrived_i,
  input logic [Outputs-1:0]         left_i,
  input logic [Outputs-1:0]         left_epoch_i,
  input logic [TimestampWidth-1:0]  timestamp_o,
  input logic                       epoch_o,
  input logic                       resync_o,
  input logic [1:0][CountWidth-1:0] packet_count_o
);

  // Since the clock edge behind a reset, which needs none itself: what looks back sees nothing before.
  logic runs_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) runs_q <= 1'b0;
    else         runs_q <= 1'b1;
  end

  // The packets of each epoch, as the pins tell them; two's complement. One that is told to have left was granted in
  // the cycle before: those that arrive now are not among them.
  logic [1:0][31:0] stay, there, there_q;

  always_comb begin
    stay = there_q;
    for (int unsigned o = 0; o < Outputs; o++) begin
      if (left_i[o]) stay[left_epoch_i[o]] = stay[left_epoch_i[o]] - 32'd1;
    end
    there          = stay;
    there[epoch_o] = there[epoch_o] + 32'(arrived_i);
    // What the clock has given up.
    if (resync_o) there[!epoch_o] = '0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) there_q <= '0;
    else         there_q <= there;
  end

  arrivals_are_possible: assert property (@(posedge clk_i) disable iff (!rst_ni)
    32'(arrived_i) <= MaxArrivals)
    else $error("qosarb_age_clock_checks: arrivals_are_possible: %0d", arrived_i);
  chip_has_room: assert property (@(posedge clk_i) disable iff (!rst_ni)
    $signed(there[0]) + $signed(there[1]) <= $signed(MaxPackets))
    else $error("qosarb_age_clock_checks: chip_has_room: %0d and %0d packets", there[0], there[1]);
  leaves_what_was_there: assert property (@(posedge clk_i) disable iff (!rst_ni)
    !stay[0][31] && !stay[1][31])
    else $error("qosarb_age_clock_checks: leaves_what_was_there: %0d and %0d packets",
                $signed(stay[0]), $signed(stay[1]));
  count_is_true: assert property (@(posedge clk_i) disable iff (!rst_ni)
    !resync_o)
    else $error("qosarb_age_clock_checks: count_is_true: packets that were counted are not there");
  time_goes_on: assert property (@(posedge clk_i) disable iff (!runs_q)
    1'b1 |=> {epoch_o, timestamp_o} == $past({epoch_o, timestamp_o}) ||
             {epoch_o, timestamp_o} == $past({epoch_o, timestamp_o}) + (TimestampWidth + 1)'(1))
    else $error("qosarb_age_clock_checks: time_goes_on: to epoch %b, %0d", epoch_o, timestamp_o);
  no_two_epochs_behind: assert property (@(posedge clk_i) disable iff (!runs_q)
    1'b1 |=> epoch_o == $past(epoch_o) || $past(packet_count_o[!epoch_o]) == '0)
    else $error("qosarb_age_clock_checks: no_two_epochs_behind: packets of epoch %b are there", epoch_o);

endmodule
