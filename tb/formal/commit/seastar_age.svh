// seastar-age in port_commit_proof: it takes any configuration.

  localparam int unsigned AgeInputs = qosarb_pkg::inputs(Queues, Vcs);

  typedef struct packed {
    logic [63:0]               rr_select;
    logic [63:32]              clock_period;
    logic [AgeInputs-1:0][5:0] bias;  // of responses and requests
  } seastar_age_t;

  seastar_age_t seastar_age_written, seastar_age_next;

  `OWN_FIELDS(PolicySeastarAge, seastar_age_t, g_seastar_age, shadow_q, in_force_q)
  assign seastar_age_written           = seastar_age_t'(written_q.own[PolicySeastarAge]);
  assign own_first[PolicySeastarAge]   = own_t'(seastar_age_t'{rr_select: '1, clock_period: 32'd1, bias: '0});
  assign own_good[PolicySeastarAge]    = seastar_age_written.clock_period != '0;
  assign own_says[PolicySeastarAge]    = '0;
  assign own_coupled[PolicySeastarAge] = 1'b1;

  always_comb begin
    own_access[PolicySeastarAge] = '{known: 1'b1, writable: 1'b1, value: '0, own: '0};
    seastar_age_next             = seastar_age_written;
    case (address)
      AgeRrSelectOffset: begin
        own_access[PolicySeastarAge].value = seastar_age_written.rr_select[31:0];
        seastar_age_next.rr_select[31:0]   = data;
      end
      AgeRrSelectOffset + OffsetWidth'(4): begin
        own_access[PolicySeastarAge].value = seastar_age_written.rr_select[63:32];
        seastar_age_next.rr_select[63:32]  = data;
      end
      AgeClockPeriodOffset: begin
        own_access[PolicySeastarAge].value    = seastar_age_written.clock_period;
        own_access[PolicySeastarAge].writable = data != '0;
        seastar_age_next.clock_period         = data;
      end
      default: begin
        own_access[PolicySeastarAge].known    = 1'b0;
        own_access[PolicySeastarAge].writable = 1'b0;
      end
    endcase
    for (int unsigned i = 0; i < AgeInputs; i++) begin
      if (address == AgeBiasOffset + OffsetWidth'(4 * i)) begin
        own_access[PolicySeastarAge].known    = 1'b1;
        own_access[PolicySeastarAge].writable = {data[31:7], data[3]} == '0;
        own_access[PolicySeastarAge].value    = {25'd0, seastar_age_written.bias[i][5:3], 1'b0,
                                                 seastar_age_written.bias[i][2:0]};
        seastar_age_next.bias[i]              = {data[6:4], data[2:0]};
      end
    end
    own_access[PolicySeastarAge].own = own_t'(seastar_age_next);
  end

  // To be seen: other biases than after reset.
  assign own_shown[PolicySeastarAge] = in_force.own[PolicySeastarAge][5:0] == 6'b101_010;
