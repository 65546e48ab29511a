// qosarb_credit beside whole numbers, and beside a neighbour that counts the flits in its queue: any room, heads,
// grants, returns and loads, and a reset at any time; for ports that answer at once and in the next cycle.
//
// One queue of two is looked at, either: which one is any, and stays so from the first cycle on.

module credit_proof #(
  parameter  int unsigned MaxPacketFlits = 3,
  parameter  int unsigned CreditWidth    = 4,
  parameter  int unsigned ReturnWidth    = 2,
  parameter  int unsigned Latency        = 0,
  localparam int unsigned Queues         = 2,
  localparam int unsigned FlitsWidth     = $clog2(MaxPacketFlits + 1)
) (
  input  logic                               clk_i,
  input  logic                               reset_i,
  input  logic                               queue_i,  // that is looked at
  input  logic                               load_i,
  input  logic [Queues-1:0][CreditWidth-1:0] room_i,
  input  logic [Queues-1:0][FlitsWidth-1:0]  flits_i,
  input  logic [Queues-1:0]                  next_valid_i,
  input  logic [Queues-1:0][FlitsWidth-1:0]  next_flits_i,
  input  logic [Queues-1:0]                  grant_i,
  input  logic [Queues-1:0][ReturnWidth-1:0] return_i,

  output logic                               not_conserved_o,
  output logic                               outside_its_range_o,
  output logic                               stops_otherwise_o,
  output logic                               told_otherwise_o,
  output logic                               lost_or_overrun_o,
  output logic                               cover_room_used_up_o,
  output logic                               cover_full_again_o
);

  logic rst_n, started_q;
  initial started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  assign rst_n = started_q & ~reset_i;

  logic watched_q;
  always_ff @(posedge clk_i) watched_q <= started_q ? watched_q : queue_i;

  // The room stands still from a load to the next one. After a reset there is none until then, and what the counters are
  // told of it is anything.
  logic                               loaded_q;
  logic [Queues-1:0][CreditWidth-1:0] room_q, room, room_told, credit;
  logic [Queues-1:0]                  stop, overflow, underflow;

  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) begin
      loaded_q <= 1'b0;
      room_q   <= '0;
    end else if (load_i) begin
      loaded_q <= 1'b1;
      room_q   <= room_i;
    end
  end

  assign room      = load_i ? room_i : room_q;
  assign room_told = (load_i | ~loaded_q) ? room_i : room_q;

  qosarb_credit #(
    .Queues        (Queues),
    .MaxPacketFlits(MaxPacketFlits),
    .CreditWidth   (CreditWidth),
    .ReturnWidth   (ReturnWidth),
    .Latency       (Latency)
  ) u_engine (
    .clk_i,
    .rst_ni     (rst_n),
    .load_i,
    .room_i     (room_told),
    .flits_i,
    .next_valid_i,
    .next_flits_i,
    .stop_o     (stop),
    .grant_i,
    .return_i,
    .credit_o   (credit),
    .overflow_o (overflow),
    .underflow_o(underflow)
  );

  // What the queue shows, and what is told of it.
  logic [FlitsWidth-1:0]  flits, next_flits;
  logic                   next_valid, grant, stops, above, below;
  logic [ReturnWidth-1:0] returned;
  logic [CreditWidth-1:0] new_room, room_before, room_then, has;

  assign flits       = flits_i[watched_q];
  assign next_flits  = next_flits_i[watched_q];
  assign next_valid  = next_valid_i[watched_q];
  assign grant       = grant_i[watched_q];
  assign returned    = return_i[watched_q];
  assign stops       = stop[watched_q];
  assign above       = overflow[watched_q];
  assign below       = underflow[watched_q];
  assign new_room    = room_i[watched_q];
  assign room_before = room_q[watched_q];
  assign room_then   = room[watched_q];
  assign has         = credit[watched_q];

  // What a cycle asks of the counter, in whole numbers, and what is told of it in the next one.
  int   need, next_need, taken, judged, level;
  logic above_q, below_q;

  assign need      = (flits == '0) ? 1 : int'({1'b0, flits});
  assign next_need = (next_flits == '0) ? 1 : int'({1'b0, next_flits});
  assign taken     = grant ? need : 0;
  assign level     = (load_i ? int'({1'b0, new_room}) : int'({1'b0, has}) + int'({1'b0, returned})) - taken;

  // The packet that the stop speaks of: the next one to be asked for, if there is one.
  logic none;

  assign none   = (Latency != 0) & grant & ~next_valid;
  assign judged = (Latency != 0 && grant) ? next_need : need;

  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) begin
      above_q <= 1'b0;
      below_q <= 1'b0;
    end else begin
      above_q <= level > int'({1'b0, room_then});
      below_q <= level < 0;
    end
  end

  // The neighbour's queue, as long as nobody has sent without credit or returned what was not there since the last
  // load. With Latency 1 a packet goes that was judged in the cycle before.
  logic                   fair_q, fair, may_go, stop_q;
  logic [CreditWidth+1:0] held_q;
  int                     judged_q;

  assign may_go = (Latency != 0) ? ~stop_q & (need == judged_q) : ~stops;
  assign fair   = (may_go | ~grant) & ((CreditWidth + 2)'(returned) <= held_q);

  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) begin
      fair_q   <= 1'b0;
      held_q   <= '0;
      stop_q   <= 1'b1;
      judged_q <= 1;
    end else begin
      fair_q   <= load_i ? level >= 0 : fair_q & fair;
      held_q   <= (load_i ? '0 : held_q - (CreditWidth + 2)'(returned)) + (CreditWidth + 2)'(taken);
      stop_q   <= stops | none;
      judged_q <= judged;
    end
  end

  // What is known of the time before a load is there for the induction.
  assign not_conserved_o     = rst_n & ((u_engine.loaded_q != loaded_q) | (~loaded_q & (fair_q | (room_before != '0))) |
                                        (fair_q & (((CreditWidth + 2)'(has) + held_q != (CreditWidth + 2)'(room_before)) |
                                                   ((Latency != 0) & ~stop_q & (int'({1'b0, has}) < judged_q)))));
  assign outside_its_range_o = rst_n & (has > room_before);
  assign stops_otherwise_o   = rst_n & (stops != (load_i | (~none & (int'({1'b0, has}) <
                                                                    judged + ((Latency != 0) ? taken : 0)))));
  assign told_otherwise_o    = rst_n & ((above != above_q) | (below != below_q));
  assign lost_or_overrun_o   = rst_n & fair_q & ((held_q > (CreditWidth + 2)'(room_before)) | above | below);

  // To be seen: all of the room is taken; it has all come back, after it was taken.
  logic taken_q;
  initial taken_q = 1'b0;
  always_ff @(posedge clk_i) taken_q <= rst_n & ~load_i & (taken_q | cover_room_used_up_o);

  assign cover_room_used_up_o = rst_n & fair_q & (room_before != '0) & (has == '0);
  assign cover_full_again_o   = rst_n & fair_q & taken_q & (has == room_before);

endmodule
