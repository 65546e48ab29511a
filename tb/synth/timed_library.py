"""A cell library for the tests, whose delays are round numbers."""


def timed_library(time, load):
    """Settings and delays of a library whose delays are 0.3 ns from the clock and 0.1 ns plus 1 ns for each
    pF of load, with numbers in units of `time` ns and `load` pF, whose names are given."""
    (time_name, ns), (load_name, pf) = time, load

    def arc(related, kind, delay, slope=0.0):
        table = f'values ("{delay / ns}, {(delay + slope) / ns}");'
        flat = f'values ("{0.1 / ns}, {0.1 / ns}");'
        return (f'timing() {{ related_pin : "{related}"; {kind} '
                f"cell_rise(by_load) {{ {table} }} cell_fall(by_load) {{ {table} }} "
                f"rise_transition(by_load) {{ {flat} }} fall_transition(by_load) {{ {flat} }} }}")

    def pin(name, capacitance):
        return f"pin({name}) {{ direction : input; capacitance : {capacitance / pf}; }}"

    setup = (f'timing() {{ related_pin : "CK"; timing_type : setup_rising; rise_constraint(scalar) '
             f'{{ values ("{0.05 / ns}"); }} fall_constraint(scalar) {{ values ("{0.05 / ns}"); }} }}')
    return f"""
library(timed) {{ delay_model : table_lookup; time_unit : "{time_name}";
  capacitive_load_unit (1, {load_name}); voltage_unit : "1V"; current_unit : "1mA";
  pulling_resistance_unit : "1kohm"; leakage_power_unit : "1nW";
  slew_lower_threshold_pct_rise : 20; slew_lower_threshold_pct_fall : 20;
  slew_upper_threshold_pct_rise : 80; slew_upper_threshold_pct_fall : 80;
  input_threshold_pct_rise : 50; input_threshold_pct_fall : 50;
  output_threshold_pct_rise : 50; output_threshold_pct_fall : 50;
  lu_table_template(by_load) {{ variable_1 : total_output_net_capacitance;
    index_1 ("0, {1.0 / pf}"); }}
  cell(BUF) {{ area : 2; {pin("A", 0.01)} pin(Y) {{ direction : output; function : "A";
    {arc("A", "timing_sense : positive_unate;", 0.0)} }} }}
  cell(INV) {{ area : 1; {pin("A", 0.01)} pin(Y) {{ direction : output; function : "!A";
    {arc("A", "timing_sense : negative_unate;", 0.1, 1.0)} }} }}
  cell(DFF) {{ area : 9; ff(IQ, IQN) {{ clocked_on : "CK"; next_state : "D"; }}
    pin(D) {{ direction : input; capacitance : {0.01 / pf}; {setup} }}
    pin(CK) {{ direction : input; capacitance : {0.01 / pf}; clock : true; }}
    pin(Q) {{ direction : output; function : "IQ";
      {arc("CK", "timing_type : rising_edge;", 0.3)} }} }}
}}
"""
