// seastar-age at an output, as it is specified: Procedure 2, corrected, and the choice among the heads.
//
// A transcription, not a design: loops that read like the text. The proofs hold qosarb_seastar_age and
// qosarb_age_output against it.

module seastar_age_semantics #(
  parameter  int unsigned Queues     = 4,
  localparam int unsigned QueueWidth = qosarb_pkg::index_width(Queues)
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   load_i,
  input  logic [63:0]            age_rr_select_i,
  input  logic [7:0]             timestamp_i,
  input  logic                   epoch_i,
  input  logic                   inhibit_i,
  input  logic [Queues-1:0]      active_i,
  input  logic [Queues-1:0][8:0] field_i,
  input  logic [Queues-1:0]      in_epoch_i,
  input  logic                   request_i,
  output logic                   grant_valid_o,
  output logic [QueueWidth-1:0]  grant_queue_o,
  output logic                   by_age_o,
  output logic [Queues-1:0][7:0] new_age_o,

  // State before the arbitration of this cycle.
  output logic [QueueWidth-1:0]  rr_pointer_o,
  output logic [QueueWidth-1:0]  age_pointer_o,
  output logic [5:0]             grants_o
);

  typedef logic [QueueWidth-1:0] index_t;

  localparam index_t LastQueue = index_t'(Queues - 1);

  index_t                 rr_pointer, rr_pointer_q, age_pointer, age_pointer_q, q;
  logic [5:0]             grants, grants_q;
  logic [Queues-1:0][9:0] sum;
  logic [Queues-1:0]      greatest;  // of the active ones, those of the greatest new age
  logic [Queues-1:0]      among;     // those that the round robin serves

  assign rr_pointer_o  = rr_pointer_q;
  assign age_pointer_o = age_pointer_q;
  assign grants_o      = grants_q;
  assign by_age_o      = !inhibit_i && age_rr_select_i[grants_q];

  always_comb begin
    // Procedure 2. It saturates when sum[8], or when sum[9] and not field[8].
    for (int unsigned i = 0; i < Queues; i++) begin
      sum[i]       = 10'(field_i[i]) + {1'b0, in_epoch_i[i] != epoch_i, timestamp_i};
      new_age_o[i] = (sum[i][8] || (sum[i][9] && !field_i[i][8])) ? 8'd255 : sum[i][7:0];
    end

    for (int unsigned i = 0; i < Queues; i++) begin
      greatest[i] = active_i[i];
      for (int unsigned other = 0; other < Queues; other++) begin
        if (active_i[other] && new_age_o[other] > new_age_o[i]) greatest[i] = 1'b0;
      end
    end

    rr_pointer    = rr_pointer_q;
    age_pointer   = age_pointer_q;
    grants        = grants_q;
    grant_valid_o = 1'b0;
    grant_queue_o = '0;
    q             = '0;
    among         = active_i;

    if (request_i && active_i != '0) begin
      if (by_age_o) begin
        q = age_pointer_q;
        for (int unsigned i = 0; i < Queues; i++) begin
          q = (q == LastQueue) ? '0 : q + 1'b1;
          if (greatest[q] && !grant_valid_o) begin
            grant_valid_o = 1'b1;
            grant_queue_o = q;
          end
        end
        age_pointer = grant_queue_o;
      end else begin
        if (inhibit_i) begin
          for (int unsigned i = 0; i < Queues; i++) among[i] = active_i[i] && in_epoch_i[i] != epoch_i;
          if (among == '0) among = active_i;
        end
        q = rr_pointer_q;
        for (int unsigned i = 0; i < Queues; i++) begin
          q = (q == LastQueue) ? '0 : q + 1'b1;
          if (among[q] && !grant_valid_o) begin
            grant_valid_o = 1'b1;
            grant_queue_o = q;
          end
        end
        rr_pointer = grant_queue_o;
      end
      grants = grants + 1'b1;
    end

    if (load_i) begin
      rr_pointer  = LastQueue;
      age_pointer = LastQueue;
      grants      = '0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      rr_pointer_q  <= LastQueue;
      age_pointer_q <= LastQueue;
      grants_q      <= '0;
    end else begin
      rr_pointer_q  <= rr_pointer;
      age_pointer_q <= age_pointer;
      grants_q      <= grants;
    end
  end

endmodule
