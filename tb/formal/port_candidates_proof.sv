// qosarb_port_candidates beside queues of numbered packets: any packets, stops and grants, and a reset at any time.
//
// The packets of a queue are numbered as they come, and show their numbers as their lengths and stamps of age. So
// it is seen which packet a candidate is: the first that was not granted before the cycle of the decision.

module port_candidates_proof #(
  parameter  int unsigned Queues      = 3,
  parameter  int unsigned FlitsWidth  = 3,
  parameter  int unsigned Latency     = 1,
  parameter  bit          LateLengths = 1'b0,
  localparam int unsigned NumberWidth = 9
) (
  input  logic              clk_i,
  input  logic              reset_i,
  input  logic [Queues-1:0] valid_i,
  input  logic [Queues-1:0] stopped_i,
  input  logic [Queues-1:0] next_valid_i,
  input  logic [9:0]        chip_i,
  input  logic              request_i,
  input  logic              restart_i,
  input  logic [Queues-1:0] grant_i,

  output logic              nothing_o,
  output logic              another_packet_o,
  output logic              not_as_shown_o,
  output logic              not_asked_for_o,
  output logic              another_time_o,
  output logic              cover_next_takes_its_place_o,
  output logic              cover_request_falls_to_a_restart_o
);

  localparam qosarb_port_pkg::build_t Build = '{
    ports: 1, queues: Queues, max_packet_flits: 2 ** FlitsWidth - 1, latency: Latency, default: '0
  };

  typedef struct packed {
    logic [Queues-1:0]                 valid;
    logic [Queues-1:0]                 stopped;
    logic [Queues-1:0][FlitsWidth-1:0] flits;
    logic [Queues-1:0][8:0]            age_field;
    logic [Queues-1:0]                 age_in_epoch;
    logic [Queues-1:0]                 next_valid;
    logic [Queues-1:0][FlitsWidth-1:0] next_flits;
    logic [Queues-1:0][8:0]            next_age_field;
    logic [Queues-1:0]                 next_age_in_epoch;
    qosarb_port_pkg::chip_view_t       chip;
    logic                              request;
  } shown_t;

  typedef struct packed {
    logic                              restart;
    shown_t                            shown;
    logic [Queues-1:0]                 valid;
    logic [Queues-1:0]                 stopped;
    logic [Queues-1:0][FlitsWidth-1:0] flits;
    logic [Queues-1:0][8:0]            age_field;
    logic [Queues-1:0]                 age_in_epoch;
    qosarb_port_pkg::chip_view_t       chip;
    logic                              request;
  } request_t;

  logic rst_n, started_q;
  initial started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  assign rst_n = started_q & ~reset_i;

  // The number of each queue's head: how many packets of it were granted before this cycle.
  logic [Queues-1:0][NumberWidth-1:0] head_q, next;
  request_t                           shown, candidates;

  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) begin
      head_q <= '0;
    end else begin
      for (int unsigned q = 0; q < Queues; q++) head_q[q] <= head_q[q] + NumberWidth'(grant_i[q]);
    end
  end

  always_comb begin
    shown                  = '0;
    shown.restart          = restart_i;
    shown.shown.valid      = valid_i;
    shown.shown.stopped    = stopped_i;
    shown.shown.next_valid = next_valid_i;
    shown.shown.chip       = chip_i;
    shown.shown.request    = request_i;
    for (int unsigned q = 0; q < Queues; q++) begin
      next[q]                          = head_q[q] + 1'b1;
      shown.shown.flits[q]             = head_q[q][FlitsWidth-1:0];
      shown.shown.age_field[q]         = head_q[q];
      shown.shown.age_in_epoch[q]      = head_q[q][0];
      shown.shown.next_flits[q]        = next[q][FlitsWidth-1:0];
      shown.shown.next_age_field[q]    = next[q];
      shown.shown.next_age_in_epoch[q] = next[q][0];
    end
  end

  qosarb_port_candidates #(
    .Build      (Build),
    .request_t  (request_t),
    .LateLengths(LateLengths)
  ) u_engine (
    .clk_i,
    .rst_ni (rst_n),
    .port_i (shown),
    .grant_i,
    .port_o (candidates)
  );

  // What the queues showed in the cycle of the candidates: which two packets, and whether they were there.
  logic [Queues-1:0][NumberWidth-1:0] first;
  logic [Queues-1:0]                  first_there, second_there, stopped;
  logic [9:0]                         chip;
  logic                               asked;

  if (Latency == 0) begin : g_at_once
    assign first        = head_q;
    assign first_there  = valid_i;
    assign second_there = next_valid_i;
    assign stopped      = stopped_i;
    assign chip         = chip_i;
    assign asked        = request_i;
  end else begin : g_next_cycle
    always_ff @(posedge clk_i or negedge rst_n) begin
      if (!rst_n) begin
        first        <= '0;
        first_there  <= '0;
        second_there <= '0;
        stopped      <= '0;
        chip         <= '0;
        asked        <= 1'b0;
      end else begin
        first        <= head_q;
        first_there  <= valid_i;
        second_there <= next_valid_i;
        stopped      <= stopped_i;
        chip         <= chip_i;
        asked        <= request_i & ~restart_i;
      end
    end
  end

  // The candidate of a queue is the packet of number head_q, if that one was there and the queue not stopped.
  logic [Queues-1:0] active, expected, other;

  assign active = candidates.valid & ~candidates.stopped;
  for (genvar q = 0; q < Queues; q++) begin : g_queue
    assign expected[q] = ((head_q[q] == first[q]) ? first_there[q] : second_there[q]) & ~stopped[q];
    assign other[q]    = (candidates.flits[q] != head_q[q][FlitsWidth-1:0]) |
                         (candidates.age_field[q] != head_q[q]) |
                         (candidates.age_in_epoch[q] != head_q[q][0]);
  end

  assign nothing_o        = 1'b0;
  assign another_packet_o = rst_n & ((active & other) != '0);
  assign not_as_shown_o   = rst_n & (active != expected);
  assign not_asked_for_o  = rst_n & (candidates.request != asked);
  assign another_time_o   = rst_n & (candidates.chip != chip);

  // To be seen: the packet behind a granted one is the candidate; a request in the cycle of a restart.
  logic restarted_q;
  initial restarted_q = 1'b0;
  always_ff @(posedge clk_i) restarted_q <= rst_n & restart_i & request_i;

  assign cover_next_takes_its_place_o       = rst_n & ((active & ~first_there & second_there) != '0);
  assign cover_request_falls_to_a_restart_o = rst_n & restarted_q & ~candidates.request & (active != '0);

endmodule
