// Lemma: the loop of bxi_semantics comes to what bxi_turns says, under any strict table.
//
// The loop makes one visit in each cycle here, and what it is asked stays until the arbitration is over. bxi_turns is
// asked in the last of these cycles. The invariant is that of the loop: where it stands, and what it has changed, after
// any number of visits. The visit that is made here is the same text as in a loop that is over in a cycle.

module bxi_loop_proof #(
  parameter  int unsigned Queues         = 4,
  parameter  int unsigned Entries        = 4,
  parameter  int unsigned QuantumWidth   = 3,
  parameter  int unsigned MaxPacketFlits = 3,
  localparam int unsigned QueueWidth     = qosarb_pkg::index_width(Queues),
  localparam int unsigned EntryWidth     = qosarb_pkg::index_width(Entries),
  localparam int unsigned FlitsWidth     = $clog2(MaxPacketFlits + 1),
  localparam int unsigned RemainingWidth = $clog2((2 ** QuantumWidth) + MaxPacketFlits - 1)
) (
  input  logic                                 clk_i,
  input  logic                                 reset_i,
  input  logic                                 load_i,
  input  logic                                 empty_i,
  input  logic [EntryWidth-1:0]                last_entry_i,
  input  logic [Entries-1:0][QueueWidth-1:0]   entry_queue_i,
  input  logic [Entries-1:0][QuantumWidth-1:0] entry_quantum_i,
  input  logic                                 deficits_on_i,
  input  logic [FlitsWidth-1:0]                max_packet_flits_i,
  input  logic [Queues-1:0]                    active_i,
  input  logic [Queues-1:0][FlitsWidth-1:0]    flits_i,
  input  logic                                 request_i,

  output logic                                 not_coupled_o,
  output logic [4:0]                           parts_o,
  output logic                                 differs_o,
  output logic                                 visits_too_many_o,
  output logic                                 cover_all_visits_o
);

  logic rst_n, started_q;
  initial started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  assign rst_n = started_q & ~reset_i;

  // An arbitration: what is asked, and the visits that the loop has made before this cycle's.
  logic                               loads, over, request_q, request;
  logic [Queues-1:0]                  active_q;
  logic [Queues-1:0][FlitsWidth-1:0]  flits_q;
  logic [EntryWidth:0]                visits_q;

  assign loads = load_i & over;

  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) begin
      visits_q  <= '0;
      request_q <= 1'b0;
    end else if (over) begin
      visits_q  <= '0;
      request_q <= request_i;
    end else begin
      visits_q <= visits_q + 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (over) begin
      active_q <= active_i;
      flits_q  <= flits_i;
    end
  end

  // The table in force, as bxi_proof has it; or none, which is then not asked.
  logic [EntryWidth-1:0]                last_entry;
  logic [Entries-1:0]                   entry_used;
  logic [Entries-1:0][QueueWidth-1:0]   entry_queue;
  logic [Entries-1:0][QuantumWidth-1:0] entry_quantum;
  logic [FlitsWidth-1:0]                max_packet_flits;
  logic                                 empty, deficits_on_q;

  always_ff @(posedge clk_i) begin
    if (loads) deficits_on_q <= deficits_on_i;
  end

  any_strict_table #(
    .Queues        (Queues),
    .Entries       (Entries),
    .QuantumWidth  (QuantumWidth),
    .MaxPacketFlits(MaxPacketFlits),
    .MayBeEmpty    (1'b1)
  ) u_table (.*, .load_i(loads));

  assign request = request_q & ~empty;

  logic                                   loop_valid, turns_valid, loop_fresh, fresh;
  logic [QueueWidth-1:0]                  loop_queue, turns_queue;
  logic [EntryWidth-1:0]                  loop_cur, cur;
  logic [RemainingWidth-1:0]              loop_rem, rem;
  logic [Entries-1:0][RemainingWidth-1:0] loop_deficit, deficit;

  bxi_semantics #(
    .Queues        (Queues),
    .Entries       (Entries),
    .QuantumWidth  (QuantumWidth),
    .MaxPacketFlits(MaxPacketFlits),
    .Visits        (1)
  ) u_loop (
    .clk_i,
    .rst_ni            (rst_n),
    .load_i            (loads),
    .last_entry_i      (last_entry),
    .queue_i           (entry_queue),
    .quantum_i         (entry_quantum),
    .deficits_on_i     (deficits_on_q),
    .max_packet_flits_i(max_packet_flits),
    .active_i          (active_q),
    .flits_i           (flits_q),
    .request_i         (request),
    .grant_valid_o     (loop_valid),
    .grant_queue_o     (loop_queue),
    .cur_o             (loop_cur),
    .rem_o             (loop_rem),
    .fresh_o           (loop_fresh),
    .deficit_o         (loop_deficit)
  );

  bxi_turns #(
    .Queues        (Queues),
    .Entries       (Entries),
    .QuantumWidth  (QuantumWidth),
    .MaxPacketFlits(MaxPacketFlits)
  ) u_turns (
    .clk_i,
    .rst_ni            (rst_n),
    .load_i            (loads),
    .last_entry_i      (last_entry),
    .queue_i           (entry_queue),
    .quantum_i         (entry_quantum),
    .deficits_on_i     (deficits_on_q),
    .max_packet_flits_i(max_packet_flits),
    .active_i          (active_q),
    .flits_i           (flits_q),
    .request_i         (request & over),
    .grant_valid_o     (turns_valid),
    .grant_queue_o     (turns_queue),
    .cur_o             (cur),
    .rem_o             (rem),
    .fresh_o           (fresh),
    .deficit_o         (deficit)
  );

  // The loop ends with a grant, or has nothing to grant.
  logic [Entries-1:0] entry_active;
  logic               decides;

  for (genvar e = 0; e < Entries; e++) begin : g_active
    assign entry_active[e] = (EntryWidth'(e) <= last_entry) & active_q[entry_queue[e]];
  end

  assign decides = request & (entry_active != '0);
  assign over    = loop_valid | ~decides;

  // Where the loop stands after any number of visits. An entry's distance is the number of steps to it from the entry
  // at which the arbitration began, which is as far as the table is long.
  logic                                     bounded, stands, rem_equal, deficits_equal;
  logic [Entries-1:0][EntryWidth:0]         distance;
  logic [EntryWidth:0]                      length;
  logic [RemainingWidth-1:0]                saved;

  assign length = {1'b0, last_entry} + 1'b1;
  for (genvar e = 0; e < Entries; e++) begin : g_distance
    assign distance[e] = (e > 32'(cur)) ? (EntryWidth + 1)'(e) - {1'b0, cur}
                                        : (EntryWidth + 1)'(e) + length - {1'b0, cur};
  end

  assign saved = u_turns.saves ? rem : '0;

  always_comb begin
    bounded = (cur <= last_entry) & (~fresh | empty | (rem >= RemainingWidth'(max_packet_flits)));
    for (int unsigned e = 0; e < Entries; e++) begin
      bounded &= deficit[e] < RemainingWidth'(max_packet_flits);
      bounded &= (e <= 32'(last_entry)) | (deficit[e] == '0);
    end
  end

  always_comb begin
    if (visits_q == '0) begin
      stands    = (loop_cur == cur) & (loop_fresh == fresh);
      rem_equal = loop_rem == rem;
    end else begin
      stands    = decides & ~u_turns.goes_on & loop_fresh & (visits_q <= length) & (loop_cur <= last_entry);
      rem_equal = loop_rem == RemainingWidth'(entry_quantum[loop_cur]) + ((loop_cur == cur) ? saved : deficit[loop_cur]);
      for (int unsigned e = 0; e < Entries; e++) begin
        if (e <= 32'(last_entry)) begin
          stands &= (loop_cur == EntryWidth'(e)) == (distance[e] == visits_q);
          stands &= ~entry_active[e] | (distance[e] >= visits_q);
        end
      end
    end
  end

  always_comb begin
    deficits_equal = 1'b1;
    for (int unsigned e = 0; e < Entries; e++) begin
      deficits_equal &= loop_deficit[e] == ((visits_q == '0) ? deficit[e] :
                                            (e <= 32'(last_entry) && distance[e] <= visits_q) ? '0 :
                                            (EntryWidth'(e) == cur) ? saved : deficit[e]);
    end
  end

  by_parts #(
    .Parts(4)
  ) u_parts (
    .*,
    .holds({deficits_equal, rem_equal, stands, bounded}),
    .fails(differs_o | visits_too_many_o)
  );

  // The same decision; and within as many visits as the loop makes.
  assign differs_o = rst_n & over & ((loop_valid != turns_valid) | (loop_queue != turns_queue));
  assign visits_too_many_o = rst_n & ~over & (visits_q == length);

  // To be seen: the loop comes round to the entry at which it began.
  assign cover_all_visits_o = rst_n & loop_valid & (visits_q == length) & (length == (EntryWidth + 1)'(Entries));

endmodule
