# Sizes the cells of the worst paths by the timing that they are judged by.
#
# Set before: a linked and constrained design; `sizes`, an array from each cell to its next weaker and
# next stronger equivalents ("-" where there is none); `loads`, an array from each instance to those
# that it drives; `passes`; `trials`, how many changes may be tried in all. The clock's period is what
# the paths should get down to.
#
# Each pass walks the worst path. It tries each of its cells one size up, then one down, and what else
# they drive one size down. A change stays if the sum of worst and total negative slack gains. Prints
# one line for each change that stays.

proc resize_cost {} {
  return [expr {-1.0 * [worst_negative_slack] - 0.02 * [total_negative_slack]}]
}

proc resize_path {} {
  set instances {}
  foreach point [get_property [lindex [find_timing_paths -path_delay max] 0] points] {
    set name [get_property [get_property $point pin] full_name]
    set slash [string last / $name]
    if {$slash < 0} { continue }
    set instance [string range $name 0 [expr {$slash - 1}]]
    if {[lsearch -exact $instances $instance] < 0} { lappend instances $instance }
  }
  return $instances
}

# Tries the equivalents in turn; true if one of them stays.
proc resize_try {instance others} {
  global resize_best trials
  set cell [get_cells $instance]
  set now [get_property $cell ref_name]
  foreach other $others {
    if {$other eq "-" || $trials == 0} { continue }
    incr trials -1
    replace_cell $cell $other
    set cost [resize_cost]
    if {$cost < $resize_best - 1e-6} {
      set resize_best $cost
      puts "resize $instance $other"
      return 1
    }
    replace_cell $cell $now
  }
  return 0
}

proc resize_all {} {
  global sizes loads passes trials resize_best
  set resize_best [resize_cost]
  for {set pass 0} {$pass < $passes && $resize_best > 0} {incr pass} {
    set gained 0
    set path [resize_path]
    foreach instance $path {
      set now [get_property [get_cells $instance] ref_name]
      incr gained [resize_try $instance [lreverse $sizes($now)]]
      if {![info exists loads($instance)]} { continue }
      foreach load $loads($instance) {
        if {[lsearch -exact $path $load] >= 0} { continue }
        set now [get_property [get_cells $load] ref_name]
        incr gained [resize_try $load [lrange $sizes($now) 0 0]]
      }
    }
    if {!$gained} { break }
  }
  puts "passes $pass, trials left $trials"
}

resize_all
