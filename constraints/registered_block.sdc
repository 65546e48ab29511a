# Timing of a block whose inputs and outputs are registered: one clock, asynchronous reset.
# Set before: period, clock_uncertainty, io_delay (nanoseconds), driving_cell, output_load.

set clock_port [get_ports clk_i]
create_clock -name clk -period $period $clock_port
set_clock_uncertainty $clock_uncertainty [get_clocks clk]

# Reset is released synchronously outside of the block and is no data path. Like the clock it comes by a
# tree of its own: driven by one cell, its slope would be that of a gate that it masks.
set_false_path -from [get_ports *rst_ni]

set data_inputs {}
foreach port [all_inputs] {
  set name [get_property $port full_name]
  if {$name ne "clk_i" && ![string match *rst_ni* $name]} { lappend data_inputs $port }
}
set_driving_cell -lib_cell $driving_cell $data_inputs
set_input_delay $io_delay -clock clk $data_inputs
set_output_delay $io_delay -clock clk [all_outputs]
set_load $output_load [all_outputs]
