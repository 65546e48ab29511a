// bxi-basic and bxi-deficit, as they are specified: the corrected loop over the arbitration table, with the
// rules for heads that are longer than max_packet_flits or of 0 flits.
//
// A transcription, not a design: one loop that reads like the text. The proofs hold qosarb_bxi_table against it.

module bxi_semantics #(
  parameter  int unsigned Queues         = 4,
  parameter  int unsigned Entries        = 4,
  parameter  int unsigned QuantumWidth   = 3,
  parameter  int unsigned MaxPacketFlits = 3,
  parameter  int unsigned Visits         = Entries + 1,  // in a cycle; fewer in the proof of the loop only
  localparam int unsigned QueueWidth     = qosarb_pkg::index_width(Queues),
  localparam int unsigned EntryWidth     = qosarb_pkg::index_width(Entries),
  localparam int unsigned FlitsWidth     = $clog2(MaxPacketFlits + 1),
  localparam int unsigned RemainingWidth = $clog2((2 ** QuantumWidth) + MaxPacketFlits - 1)
) (
  input  logic                                   clk_i,
  input  logic                                   rst_ni,
  input  logic                                   load_i,
  input  logic [EntryWidth-1:0]                  last_entry_i,  // entries of the table, less one
  input  logic [Entries-1:0][QueueWidth-1:0]     queue_i,
  input  logic [Entries-1:0][QuantumWidth-1:0]   quantum_i,
  input  logic                                   deficits_on_i,
  input  logic [FlitsWidth-1:0]                  max_packet_flits_i,
  input  logic [Queues-1:0]                      active_i,
  input  logic [Queues-1:0][FlitsWidth-1:0]      flits_i,
  input  logic                                   request_i,
  output logic                                   grant_valid_o,
  output logic [QueueWidth-1:0]                  grant_queue_o,

  // State before the arbitration of this cycle.
  output logic [EntryWidth-1:0]                  cur_o,
  output logic [RemainingWidth-1:0]              rem_o,
  output logic                                   fresh_o,
  output logic [Entries-1:0][RemainingWidth-1:0] deficit_o
);

  typedef logic [RemainingWidth-1:0] remaining_t;

  // From reset and load until the first arbitration the state is the table's: entry 0 with its quantum.
  logic                         start_d, start_q;
  logic [EntryWidth-1:0]        cur, cur_q;
  remaining_t                   rem, rem_q;
  logic                         fresh, fresh_q;
  logic [Entries-1:0][RemainingWidth-1:0] deficit, deficit_q;

  logic                         any_active, fits, too_long;
  logic [QueueWidth-1:0]        q;
  logic [FlitsWidth-1:0]        flits;

  assign cur_o     = cur_q;
  assign rem_o     = start_q ? remaining_t'(quantum_i[0]) : rem_q;
  assign fresh_o   = fresh_q;
  assign deficit_o = deficit_q;

  always_comb begin
    cur           = cur_q;
    rem           = rem_o;
    fresh         = fresh_q;
    deficit       = deficit_q;
    start_d       = start_q;
    grant_valid_o = 1'b0;
    grant_queue_o = '0;
    q             = '0;
    flits         = '0;
    too_long      = 1'b0;
    fits          = 1'b0;

    any_active = 1'b0;
    for (int unsigned e = 0; e < Entries; e++) begin
      if (EntryWidth'(e) <= last_entry_i && active_i[queue_i[e]]) any_active = 1'b1;
    end

    if (request_i && any_active) begin
      start_d = 1'b0;
      for (int unsigned visit = 0; visit < Visits; visit++) begin
        if (visit <= 32'(last_entry_i) + 1 && !grant_valid_o) begin
          q        = queue_i[cur];
          flits    = (flits_i[q] == '0) ? FlitsWidth'(1) : flits_i[q];
          too_long = flits > max_packet_flits_i;
          fits     = remaining_t'(flits) <= rem || (too_long && fresh && quantum_i[cur] != '0);
          if (active_i[q] && fits) begin
            rem           = (remaining_t'(flits) <= rem) ? rem - remaining_t'(flits) : '0;
            fresh         = 1'b0;
            grant_valid_o = 1'b1;
            grant_queue_o = q;
          end else begin
            deficit[cur] = (active_i[q] && deficits_on_i && !too_long) ? rem : '0;
          end
          if (!grant_valid_o || rem == '0) begin  // step
            cur          = (cur == last_entry_i) ? '0 : cur + 1'b1;
            rem          = remaining_t'(quantum_i[cur]) + deficit[cur];
            deficit[cur] = '0;
            fresh        = 1'b1;
          end
        end
      end
    end

    if (load_i) begin
      start_d = 1'b1;
      cur     = '0;
      fresh   = 1'b1;
      deficit = '0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      start_q   <= 1'b1;
      cur_q     <= '0;
      rem_q     <= '0;
      fresh_q   <= 1'b1;
      deficit_q <= '0;
    end else begin
      start_q   <= start_d;
      cur_q     <= cur;
      rem_q     <= rem;
      fresh_q   <= fresh;
      deficit_q <= deficit;
    end
  end

endmodule
