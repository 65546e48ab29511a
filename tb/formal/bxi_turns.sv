// bxi-basic and bxi-deficit under a strict table, turn by turn: what bxi_semantics comes to without its loop.
//
// Under a strict table a fresh turn holds any head. So the loop ends where it begins, if the current entry goes on,
// or else at the first active entry behind it. bxi_loop_proof.sv proves that the two are the same.

module bxi_turns #(
  parameter  int unsigned Queues         = 4,
  parameter  int unsigned Entries        = 4,
  parameter  int unsigned QuantumWidth   = 3,
  parameter  int unsigned MaxPacketFlits = 3,
  localparam int unsigned QueueWidth     = qosarb_pkg::index_width(Queues),
  localparam int unsigned EntryWidth     = qosarb_pkg::index_width(Entries),
  localparam int unsigned FlitsWidth     = $clog2(MaxPacketFlits + 1),
  localparam int unsigned RemainingWidth = $clog2((2 ** QuantumWidth) + MaxPacketFlits - 1)
) (
  // As those of bxi_semantics.
  input  logic                                   clk_i,
  input  logic                                   rst_ni,
  input  logic                                   load_i,
  input  logic [EntryWidth-1:0]                  last_entry_i,
  input  logic [Entries-1:0][QueueWidth-1:0]     queue_i,
  input  logic [Entries-1:0][QuantumWidth-1:0]   quantum_i,
  input  logic                                   deficits_on_i,
  input  logic [FlitsWidth-1:0]                  max_packet_flits_i,
  input  logic [Queues-1:0]                      active_i,
  input  logic [Queues-1:0][FlitsWidth-1:0]      flits_i,
  input  logic                                   request_i,
  output logic                                   grant_valid_o,
  output logic [QueueWidth-1:0]                  grant_queue_o,
  output logic [EntryWidth-1:0]                  cur_o,
  output logic [RemainingWidth-1:0]              rem_o,
  output logic                                   fresh_o,
  output logic [Entries-1:0][RemainingWidth-1:0] deficit_o
);

  typedef logic [RemainingWidth-1:0] remaining_t;
  typedef logic [FlitsWidth-1:0]     flits_t;

  logic                                   start_q;
  logic [EntryWidth-1:0]                  cur, cur_q, next;
  remaining_t                             rem, rem_q, begun, sent;
  logic                                   fresh, fresh_q;
  logic [Entries-1:0][RemainingWidth-1:0] deficit, deficit_q;

  logic [Entries-1:0]                     entry_active, passed;
  logic                                   any_active, decides, goes_on, saves;
  flits_t                                 current_flits, flits;
  logic [EntryWidth-1:0]                  found, winner;

  assign cur_o     = cur_q;
  assign rem_o     = start_q ? remaining_t'(quantum_i[0]) : rem_q;
  assign fresh_o   = fresh_q;
  assign deficit_o = deficit_q;

  for (genvar e = 0; e < Entries; e++) begin : g_entry
    assign entry_active[e] = (EntryWidth'(e) <= last_entry_i) & active_i[queue_i[e]];
  end

  circular_search #(
    .Width(Entries)
  ) u_search (
    .request_i(entry_active),
    .position_i(cur_q),
    .any_o    (any_active),
    .index_o  (found),
    .passed_o (passed)
  );

  function automatic flits_t counted(flits_t any);
    return (any == '0) ? flits_t'(1) : any;
  endfunction

  // The current entry goes on, or saves what remains and another turn begins.
  assign decides       = request_i & any_active;
  assign current_flits = counted(flits_i[queue_i[cur_q]]);
  assign goes_on       = active_i[queue_i[cur_q]] &
                         ((remaining_t'(current_flits) <= rem_o) | (fresh_q & (current_flits > max_packet_flits_i)));
  assign saves         = active_i[queue_i[cur_q]] & deficits_on_i & (current_flits <= max_packet_flits_i);

  assign winner = goes_on ? cur_q : found;
  assign begun  = goes_on ? rem_o :
                  remaining_t'(quantum_i[found]) + ((found != cur_q) ? deficit_q[found] : saves ? rem_o : '0);
  assign flits  = counted(flits_i[queue_i[winner]]);
  assign sent   = (remaining_t'(flits) <= begun) ? begun - remaining_t'(flits) : '0;
  assign next   = (winner == last_entry_i) ? '0 : winner + 1'b1;

  assign grant_valid_o = decides;
  assign grant_queue_o = queue_i[winner] & {QueueWidth{decides}};

  // The turn after that one, if nothing is left of it, begins at once.
  always_comb begin
    cur     = cur_q;
    rem     = rem_o;
    fresh   = fresh_q;
    deficit = deficit_q;
    if (decides) begin
      for (int unsigned e = 0; e < Entries; e++) begin
        if (!goes_on && EntryWidth'(e) == cur_q) deficit[e] = saves ? rem_o : '0;
        if (!goes_on && (passed[e] || EntryWidth'(e) == found)) deficit[e] = '0;
      end
      cur   = (sent == '0) ? next : winner;
      rem   = (sent == '0) ? remaining_t'(quantum_i[next]) + deficit[next] : sent;
      fresh = sent == '0;
      for (int unsigned e = 0; e < Entries; e++) begin
        if (sent == '0 && EntryWidth'(e) == next) deficit[e] = '0;
      end
    end
    if (load_i) begin
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
      start_q   <= load_i | (start_q & ~decides);
      cur_q     <= cur;
      rem_q     <= rem;
      fresh_q   <= fresh;
      deficit_q <= deficit;
    end
  end

endmodule
