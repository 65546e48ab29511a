// Credits of a link: what the sender knows of the free space in the neighbour's queues.
//
// A counter for each queue holds the room, in flits, that the neighbour's queue has for certain.
//   1. `load_i` (the link has come up, the neighbour's queues are empty) sets each counter to
//      `room_i[q]`, the size of that queue. After reset there is no room until then, whatever `room_i`
//      says. In the cycle of a load every queue is stopped and what returns does not count; what is
//      granted in it (Latency 1) takes of the new room.
//   2. A packet takes the credit of all its flits when it is granted (`grant_i`, one-hot), so that it
//      never waits on its way; a head of 0 flits takes 1, as everywhere.
//   3. `return_i[q]` flits of queue q have left the neighbour: as many as a cycle's credit message
//      can tell, for any of the queues. What is taken and what returns in a cycle count together.
//   4. `stop_o[q]`: the packet that queue q would send next is longer than its credit. It goes to `pfc_stop_i` of
//      qosarb_port, which grants no stopped queue; `flits_i`, `next_valid_i` and `next_flits_i` are those that the port
//      sees. That packet is the head; but for a port that answers in the next cycle (Latency 1), in the cycle in which
//      the head is granted it is the one behind it, if there is one, for which what the head takes in this cycle is no
//      longer there.
//   5. A counter never leaves 0..room_i[q]. A grant without credit (`underflow_o[q]`) and more
//      returned than was taken (`overflow_o[q]`) are told in the cycle after, for one cycle: the
//      counter then stands at the end of its range.
// Absolute credits (InfiniBand's FCCL, the CBFC of Ultra Ethernet) are returned as the difference, by
// modular subtraction, to the value before. A lost message of relative credits is lost room; `load_i`
// is the way back.
// Bound: a queue that has packets keeps a link of one flit a cycle busy alone when its room is at
// least R + L - 1 flits: L those of a packet, R the cycles from the grant of a packet of 1 flit to the
// first one in which its credit counts again, one more with Latency 1.
// Papers: H. T. Kung, T. Blackwell and A. Chapman, "Credit-based flow control for ATM networks:
// credit update protocol, adaptive credit allocation, and statistical multiplexing", SIGCOMM 1994;
// InfiniBand Architecture Specification, volume 1, section 7.9.
// The reference is sim/policy/credit_counters.hpp.

module qosarb_credit #(
  parameter  int unsigned Queues         = 8,     // Queues of the port, 1 to 32
  parameter  int unsigned MaxPacketFlits = 1023,  // Longest packet in flits, up to 65535
  parameter  int unsigned CreditWidth    = 16,    // Bits of a queue's room in flits, up to 24
  parameter  int unsigned ReturnWidth    = 4,     // Bits of what returns in a cycle, up to CreditWidth
  parameter  int unsigned Latency        = 0,     // Of the port: cycles from a request to its answer, 0 or 1
  localparam int unsigned FlitsWidth     = $clog2(MaxPacketFlits + 1)
) (
  input  logic                               clk_i,
  input  logic                               rst_ni,

  // The link comes up with so much room in each queue of the neighbour; it stands still from then until the
  // next load.
  input  logic                               load_i,
  input  logic [Queues-1:0][CreditWidth-1:0] room_i,

  // The candidates of the port, and its grant.
  input  logic [Queues-1:0][FlitsWidth-1:0]  flits_i,
  input  logic [Queues-1:0]                  next_valid_i,  // Latency 1 only: the packets behind the heads
  input  logic [Queues-1:0][FlitsWidth-1:0]  next_flits_i,
  output logic [Queues-1:0]                  stop_o,
  input  logic [Queues-1:0]                  grant_i,

  // Credit that has come back, in flits; 0: none.
  input  logic [Queues-1:0][ReturnWidth-1:0] return_i,

  output logic [Queues-1:0][CreditWidth-1:0] credit_o,
  output logic [Queues-1:0]                  overflow_o,
  output logic [Queues-1:0]                  underflow_o
);

  if (Queues < 1 || Queues > 32) begin : g_check_queues
    $error("qosarb_credit: Queues must be within 1..32");
  end
  if (MaxPacketFlits < 1 || MaxPacketFlits > 65535) begin : g_check_flits
    $error("qosarb_credit: MaxPacketFlits must be within 1..65535");
  end
  if (CreditWidth < FlitsWidth || CreditWidth > 24) begin : g_check_credit
    $error("qosarb_credit: CreditWidth must hold MaxPacketFlits and be at most 24");
  end
  if (ReturnWidth < 1 || ReturnWidth > CreditWidth) begin : g_check_return
    $error("qosarb_credit: ReturnWidth must be within 1..CreditWidth");
  end
  if (Latency > 1) begin : g_check_latency
    $error("qosarb_credit: Latency must be 0 or 1");
  end

  // A sign, and one bit more for what returns.
  localparam int unsigned SumWidth = CreditWidth + 2;

  logic [Queues-1:0][CreditWidth-1:0] credit_q, credit_d;
  logic [Queues-1:0]                  overflow_q, overflow_d, underflow_q, underflow_d;
  logic                               loaded_q;  // since the reset

  for (genvar q = 0; q < Queues; q++) begin : g_queue
    logic [FlitsWidth-1:0]  need;
    logic [CreditWidth-1:0] room;
    logic [SumWidth-1:0]    taken, sum, room_less_sum;

    assign need = flits_i[q] | FlitsWidth'(flits_i[q] == '0);
    assign room = room_i[q] & {CreditWidth{load_i | loaded_q}};

    // 4. Both packets are judged beside each other, and the grant selects.
    logic lacks_for_head, lacks;

    assign lacks_for_head = credit_q[q] < CreditWidth'(need);
    assign stop_o[q]      = load_i | lacks;

    if (Latency != 0) begin : g_next
      logic [FlitsWidth-1:0]  next_need;
      logic [CreditWidth:0]   both;
      logic                   lacks_for_both, lacks_behind;

      assign next_need      = next_flits_i[q] | FlitsWidth'(next_flits_i[q] == '0);
      assign both           = (CreditWidth + 1)'(need) + (CreditWidth + 1)'(next_need);
      assign lacks_for_both = {1'b0, credit_q[q]} < both;
      assign lacks_behind   = next_valid_i[q] & lacks_for_both;
      assign lacks          = grant_i[q] ? lacks_behind : lacks_for_head;
    end else begin : g_at_once
      assign lacks = lacks_for_head;
    end

    // 1. to 3. The count.
    assign taken         = grant_i[q] ? SumWidth'(need) : '0;
    assign sum           = (load_i ? SumWidth'(room) : SumWidth'(credit_q[q]) + SumWidth'(return_i[q])) - taken;
    assign room_less_sum = SumWidth'(room) - sum;

    assign underflow_d[q] = sum[SumWidth-1];
    assign overflow_d[q]  = ~sum[SumWidth-1] & room_less_sum[SumWidth-1];

    always_comb begin
      credit_d[q] = sum[CreditWidth-1:0];
      if (overflow_d[q])       credit_d[q] = room;
      else if (underflow_d[q]) credit_d[q] = '0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      credit_q    <= '0;
      overflow_q  <= '0;
      underflow_q <= '0;
      loaded_q    <= 1'b0;
    end else begin
      credit_q    <= credit_d;
      overflow_q  <= overflow_d;
      underflow_q <= underflow_d;
      loaded_q    <= loaded_q | load_i;
    end
  end

  if (Latency == 0) begin : g_no_next
    logic unused_next;
    assign unused_next = ^{next_valid_i, next_flits_i};
  end

  assign credit_o    = credit_q;
  assign overflow_o  = overflow_q;
  assign underflow_o = underflow_q;

endmodule
