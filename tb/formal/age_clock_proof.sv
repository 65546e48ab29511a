// qosarb_age_clock beside a chip that counts its packets itself: any period, arrivals and departures, also ones that
// cannot be, and a reset at any time.

module age_clock_proof #(
  parameter  int unsigned MaxPackets     = 7,
  parameter  int unsigned MaxArrivals    = 2,
  parameter  int unsigned Outputs        = 2,
  parameter  int unsigned ResyncCycles   = 3,
  parameter  int unsigned TimestampWidth = 2,
  localparam int unsigned CountWidth     = $clog2(MaxPackets + 1),
  localparam int unsigned ArrivalWidth   = $clog2(MaxArrivals + 1)
) (
  input  logic                    clk_i,
  input  logic                    reset_i,
  input  logic [31:0]             period_i,
  input  logic [ArrivalWidth-1:0] arrived_i,
  input  logic [Outputs-1:0]      left_i,
  input  logic [Outputs-1:0]      left_epoch_i,
  input  logic [Outputs-1:0]      others_wait_i,

  output logic                    not_coupled_o,
  output logic                    counts_otherwise_o,
  output logic                    leaves_some_behind_o,
  output logic                    jumps_o,
  output logic                    stands_too_long_o,
  output logic                    inhibited_too_long_o,
  output logic                    gives_up_early_o,
  output logic                    counts_down_otherwise_o,
  output logic                    inhibited_otherwise_o,
  output logic                    goes_on_otherwise_o,
  output logic                    saturates_otherwise_o,
  output logic                    cover_inhibited_o,
  output logic                    cover_resync_o
);

  logic rst_n, started_q;
  initial started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  assign rst_n = started_q & ~reset_i;

  logic [TimestampWidth-1:0]  timestamp, timestamp_q;
  logic                       epoch, inhibit, resync, epoch_q, inhibit_q;
  logic [31:0]                countdown, period_q;
  logic [1:0][CountWidth-1:0] packet_count;

  qosarb_age_clock #(
    .MaxPackets    (MaxPackets),
    .MaxArrivals   (MaxArrivals),
    .Outputs       (Outputs),
    .ResyncCycles  (ResyncCycles),
    .TimestampWidth(TimestampWidth)
  ) u_engine (
    .clk_i,
    .rst_ni        (rst_n),
    .period_i,
    .arrived_i,
    .left_i,
    .left_epoch_i,
    .others_wait_i,
    .timestamp_o   (timestamp),
    .epoch_o       (epoch),
    .inhibit_o     (inhibit),
    .resync_o      (resync),
    .countdown_o   (countdown),
    .packet_count_o(packet_count)
  );

  // The packets of each epoch in the chip, with what leaves in this cycle gone. It is true as long as no more have left
  // than were there, no more come than may, and no count was given up.
  logic [1:0][CountWidth+1:0] there_q, leaving, there;
  logic                       is_true_q, is_true;

  always_comb begin
    leaving = '0;
    is_true = is_true_q & ~resync & (32'(arrived_i) <= MaxArrivals);
    for (int unsigned o = 0; o < Outputs; o++) begin
      if (left_i[o]) leaving[left_epoch_i[o]] = leaving[left_epoch_i[o]] + 1'b1;
    end
    for (int unsigned e = 0; e < 2; e++) begin
      there[e] = there_q[e] - leaving[e];
      if (leaving[e] > there_q[e]) is_true = 1'b0;
    end
    if (32'(there[epoch]) + 32'(arrived_i) > MaxPackets) is_true = 1'b0;
  end

  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) begin
      is_true_q <= 1'b1;
      there_q   <= '0;
    end else begin
      is_true_q      <= is_true;
      there_q        <= there;
      there_q[epoch] <= there[epoch] + (CountWidth + 2)'(arrived_i);
    end
  end

  // What was a cycle ago; how long time has stood still without a reason, and the inhibition without one that shows.
  logic        runs_q, others_there_q;
  logic [32:0] still, still_q;
  logic [31:0] unseen_q;

  assign still = (inhibit | inhibit_q | ({epoch, timestamp} != {epoch_q, timestamp_q})) ? '0 : still_q;

  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) begin
      runs_q   <= 1'b0;
      still_q  <= '0;
      unseen_q <= '0;
    end else begin
      runs_q   <= 1'b1;
      still_q  <= (period_i != period_q) ? '0 : still + 1'b1;
      unseen_q <= (inhibit && others_wait_i == '0) ? unseen_q + 1'b1 : '0;
    end
  end
  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) begin
      period_q       <= '0;
      timestamp_q    <= '0;
      epoch_q        <= 1'b0;
      inhibit_q      <= 1'b0;
      others_there_q <= 1'b0;
    end else begin
      period_q       <= period_i;
      timestamp_q    <= timestamp;
      epoch_q        <= epoch;
      inhibit_q      <= inhibit;
      others_there_q <= is_true & (there[~epoch] != '0);
    end
  end

  // The countdown after this cycle: it stands still with the time, and begins anew with each period and each new one.
  logic [31:0] countdown_d, countdown_q;

  assign countdown_d = (period_i != period_q)           ? period_i :
                       (inhibit | (countdown == 32'd0)) ? countdown :
                       (countdown == 32'd1)             ? period_q : countdown - 1'b1;
  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) countdown_q <= '0;
    else        countdown_q <= countdown_d;
  end

  // Whether time is inhibited after this cycle: as Procedure 3 has it, by the count at its start.
  logic inhibit_d, expected_inhibit_q;

  assign inhibit_d = (packet_count[~epoch] != '0) & (inhibit | ((countdown == 32'd1) & (timestamp == '1)));
  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) expected_inhibit_q <= 1'b0;
    else        expected_inhibit_q <= inhibit_d;
  end

  // The time after this cycle: it goes on only where a period is over, and an epoch that waits for packets stays.
  logic [TimestampWidth:0] time_q;
  logic                    goes_on;

  assign goes_on = ~inhibit & (countdown == 32'd1) & ((timestamp != '1) | (packet_count[~epoch] == '0));
  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) time_q <= '0;
    else        time_q <= {epoch, timestamp} + (TimestampWidth + 1)'(goes_on);
  end

  // The counts, whatever comes and leaves: what is not within 0 and the most is the nearest of these.
  logic [1:0][CountWidth-1:0] packet_count_q;
  logic [ArrivalWidth-1:0]    arrived_q;
  logic                       saturates_otherwise;

  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) begin
      packet_count_q <= '0;
      arrived_q      <= '0;
    end else begin
      packet_count_q <= packet_count;
      arrived_q      <= arrived_i;
    end
  end

  always_comb begin
    saturates_otherwise = 1'b0;
    for (int unsigned e = 0; e < 2; e++) begin
      automatic int signed sum = int'(packet_count_q[e]) + ((epoch_q == 1'(e)) ? int'(arrived_q) : 0) - int'(leaving[e]);
      if (sum > int'(MaxPackets)) sum = MaxPackets;
      if (sum < 0 || (resync && epoch != 1'(e))) sum = 0;
      saturates_otherwise |= int'(packet_count[e]) != sum;
    end
  end

  logic coupled;

  always_comb begin
    coupled = (countdown <= period_q) & ((countdown == '0) == (period_q == '0)) & (u_engine.period_q == period_q) &
              (~inhibit | (timestamp == '1)) & (32'(u_engine.unseen_q) <= ResyncCycles) &
              ((unseen_q == 32'(u_engine.unseen_q)) |
               (~inhibit & (unseen_q == ResyncCycles + 1) & (u_engine.unseen_q == '0))) &
              ((period_q == '0) | (still + 33'(countdown) <= 33'(period_q)));
    for (int unsigned e = 0; e < 2; e++) begin
      if (is_true_q) begin
        coupled &= there_q[e] == (CountWidth + 2)'(u_engine.count_q[e]) +
                                 ((u_engine.arrived_epoch_q == 1'(e)) ? (CountWidth + 2)'(u_engine.arrived_q) : '0);
        coupled &= 32'(there_q[e]) <= MaxPackets;
      end
    end
  end

  assign not_coupled_o = rst_n & ~coupled;

  // The counts are the truth; the epoch changes only when none of the other one is there; time goes on by ones; it goes
  // on every period unless it is inhibited, and that ends when no head shows a reason, and not before.
  assign counts_otherwise_o   = rst_n & is_true & ((packet_count[0] != there[0][CountWidth-1:0]) |
                                                   (packet_count[1] != there[1][CountWidth-1:0]));
  assign leaves_some_behind_o = rst_n & runs_q & (epoch != epoch_q) & others_there_q;
  assign jumps_o              = rst_n & runs_q & ({epoch, timestamp} != {epoch_q, timestamp_q}) &
                                ({epoch, timestamp} != {epoch_q, timestamp_q} + (TimestampWidth + 1)'(1));
  assign stands_too_long_o    = rst_n & (period_q != '0) & (still >= 33'(period_q));
  assign inhibited_too_long_o = rst_n & inhibit & (unseen_q > ResyncCycles);
  assign counts_down_otherwise_o = rst_n & (countdown != countdown_q);
  assign saturates_otherwise_o   = rst_n & saturates_otherwise;
  assign inhibited_otherwise_o   = rst_n & (inhibit != expected_inhibit_q);
  assign goes_on_otherwise_o     = rst_n & ({epoch, timestamp} != time_q);
  assign gives_up_early_o        = rst_n & resync & (unseen_q < ResyncCycles);

  // To be seen: time stands still; a count is given up.
  assign cover_inhibited_o = rst_n & inhibit & ~inhibit_q;
  assign cover_resync_o    = rst_n & resync;

endmodule
