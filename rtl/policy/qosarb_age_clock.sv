// seastar-age: the clock by which a chip ages its packets (Cray XT paper, Procedure 3).
//
// One for all ports of a chip: they see the same timestamp, epoch and inhibition, and all packets
// of the chip are counted here by the epoch in which they arrived.
// Algorithm, each cycle:
//   1. Inhibited: it stays so while packets of the other epoch are in the chip; time stands still.
//   2. Else the countdown goes on. When a period is over, the timestamp is incremented; from the last
//      one (255 of 8 bits) it goes to 0 and the epoch changes, unless packets of the other epoch are
//      in the chip: then the clock becomes inhibited and stays there for another period.
// So no packet ever sees a second change of the epoch, and its age is never mistaken.
// The counts that matter are those at the start of the cycle, before its arrivals and grants.
// Arrivals and departures are registered before they are counted: nothing lies behind a grant.
// A new value of `period_i` takes effect at the end of the cycle in which it comes: the countdown
// starts over. Reset leaves the clock stopped; with `period_i` = 0 it stands still.
// Miscounts: a packet that is dropped is to be told as one that leaves, on an output of its own. A
// count that went wrong all the same, by a drop untold or a soft error, comes back to the truth:
//   - one too low by saturation: it stays at 0 until all packets of its epoch have left;
//   - one too high would inhibit the clock for good. But the packets of a queue stand in the order of
//     their stamps: where no head is of the other epoch, no packet is. So when the clock has been
//     inhibited for ResyncCycles cycles on end in which no port showed a head of the other epoch,
//     there is none, and that count becomes 0; `resync_o` reports it. ResyncCycles is longer than a
//     packet may be in the chip without being in a queue whose head shows.
// Bound: an inhibition ends with the last packet of the other epoch, at most ResyncCycles + 1 cycles behind a head.
// Width: the counts are as wide as MaxPackets asks for: the paper's 0..2047 is too few for its own chip's 2688 packets.

module qosarb_age_clock #(
  parameter  int unsigned MaxPackets     = 8191,
  parameter  int unsigned MaxArrivals    = 7,     // in one cycle
  parameter  int unsigned Outputs        = 7,
  parameter  int unsigned ResyncCycles   = 4096,
  parameter  int unsigned TimestampWidth = 8,     // Bits of a timestamp: the paper's are 8
  localparam int unsigned CountWidth     = $clog2(MaxPackets + 1),
  localparam int unsigned ArrivalWidth   = $clog2(MaxArrivals + 1)
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,

  input  logic [31:0]                period_i,     // cycles between two ticks

  // Packets that arrive in this cycle; their stamps are of the present epoch.
  input  logic [ArrivalWidth-1:0]    arrived_i,
  // From each output port: a packet was granted in the last cycle, and the epoch of its stamp.
  input  logic [Outputs-1:0]         left_i,
  input  logic [Outputs-1:0]         left_epoch_i,
  // And whether one of its heads was of the other epoch then.
  input  logic [Outputs-1:0]         others_wait_i,

  output logic [TimestampWidth-1:0]  timestamp_o,
  output logic                       epoch_o,
  output logic                       inhibit_o,

  // In this cycle a count that is too high becomes 0.
  output logic                       resync_o,

  // State, for reading. Packets of each epoch in the chip at the start of this cycle.
  output logic [31:0]                countdown_o,
  output logic [1:0][CountWidth-1:0] packet_count_o
);

  if (MaxPackets < 1 || MaxArrivals < 1 || MaxArrivals > MaxPackets) begin : g_check_packets
    $error("qosarb_age_clock: MaxPackets must be at least MaxArrivals, and that at least 1");
  end
  if (Outputs < 1 || Outputs > MaxPackets) begin : g_check_outputs
    $error("qosarb_age_clock: Outputs must be within 1..MaxPackets");
  end

  if (ResyncCycles < 1) begin : g_check_resync
    $error("qosarb_age_clock: ResyncCycles must be at least 1");
  end

  if (TimestampWidth < 1) begin : g_check_timestamp
    $error("qosarb_age_clock: TimestampWidth must be at least 1");
  end

  localparam int unsigned UnseenWidth = $clog2(ResyncCycles + 1);

  typedef logic [CountWidth+1:0] sum_t;    // two's complement
  typedef logic [CountWidth-1:0] count_t;

  logic [31:0]               period_q, countdown_d, countdown_q;
  logic [TimestampWidth-1:0] timestamp_d, timestamp_q;
  logic                      epoch_d, epoch_q;
  logic                      inhibit_d, inhibit_q;

  // The counts of the last cycle, and what came in it.
  logic [1:0][CountWidth-1:0] count, count_q;
  logic [ArrivalWidth-1:0]    arrived_q;
  logic                       arrived_epoch_q;

  // How long the clock has been inhibited without a reason that shows.
  logic [UnseenWidth-1:0] unseen_d, unseen_q;
  logic                   resync;

  assign resync   = unseen_q == UnseenWidth'(ResyncCycles);
  assign unseen_d = (inhibit_q & ~resync & (others_wait_i == '0)) ? unseen_q + 1'b1 : '0;

  for (genvar e = 0; e < 2; e++) begin : g_count
    localparam logic Epoch = 1'(e);
    logic [Outputs-1:0] left;
    sum_t               arrived, departed, sum;

    assign left     = left_i & ~(left_epoch_i ^ {Outputs{Epoch}});
    assign arrived  = (arrived_epoch_q == Epoch) ? sum_t'(arrived_q) : '0;
    always_comb begin
      departed = '0;
      for (int unsigned o = 0; o < Outputs; o++) departed += sum_t'(left[o]);
    end
    assign sum = sum_t'(count_q[e]) + arrived - departed;

    always_comb begin
      count[e] = sum[CountWidth-1:0];
      if (sum > sum_t'(MaxPackets))                         count[e] = count_t'(MaxPackets);
      if (sum[CountWidth+1] || (resync && epoch_q != Epoch)) count[e] = '0;
    end
  end

  logic others_wait, period_is_over;

  assign others_wait    = (epoch_q ? count[0] : count[1]) != '0;
  assign period_is_over = countdown_q == 32'd1;

  always_comb begin
    countdown_d = countdown_q;
    timestamp_d = timestamp_q;
    epoch_d     = epoch_q;
    inhibit_d   = inhibit_q;
    if (inhibit_q) begin
      inhibit_d = others_wait;
    end else if (countdown_q != '0) begin
      countdown_d = period_is_over ? period_q : countdown_q - 1'b1;
      if (period_is_over) begin
        if (timestamp_q != '1) begin
          timestamp_d = timestamp_q + 1'b1;
        end else if (others_wait) begin
          inhibit_d = 1'b1;
        end else begin
          timestamp_d = '0;
          epoch_d     = ~epoch_q;
        end
      end
    end
    if (period_i != period_q) countdown_d = period_i;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      period_q        <= '0;
      countdown_q     <= '0;
      timestamp_q     <= '0;
      epoch_q         <= 1'b0;
      inhibit_q       <= 1'b0;
      count_q         <= '0;
      arrived_q       <= '0;
      arrived_epoch_q <= 1'b0;
      unseen_q        <= '0;
    end else begin
      period_q        <= period_i;
      countdown_q     <= countdown_d;
      timestamp_q     <= timestamp_d;
      epoch_q         <= epoch_d;
      inhibit_q       <= inhibit_d;
      count_q         <= count;
      arrived_q       <= arrived_i;
      arrived_epoch_q <= epoch_q;
      unseen_q        <= unseen_d;
    end
  end

  assign timestamp_o    = timestamp_q;
  assign epoch_o        = epoch_q;
  assign inhibit_o      = inhibit_q;
  assign resync_o       = resync;
  assign countdown_o    = countdown_q;
  assign packet_count_o = count;

endmodule
