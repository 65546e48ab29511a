# Sizes the cells of the worst paths by the timing that they are judged by.
#
# Set before: a linked and constrained design; `sizes`, an array from each cell to its next weaker and
# next stronger equivalents ("-" where there is none); `passes`. The clock's period is what the paths
# should get down to.
#
# Each pass walks the worst path and tries each of its cells one size up, then one down. A change
# stays if the sum of worst and total negative slack gains. Prints one line for each change that stays.

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

proc resize_all {} {
  global sizes passes
  set cost [resize_cost]
  for {set pass 0} {$pass < $passes && $cost > 0} {incr pass} {
    set gained 0
    foreach instance [resize_path] {
      set cell [get_cells $instance]
      set now [get_property $cell ref_name]
      foreach other [lreverse $sizes($now)] {
        if {$other eq "-"} { continue }
        replace_cell $cell $other
        set new_cost [resize_cost]
        if {$new_cost < $cost - 1e-6} {
          set cost $new_cost
          set gained 1
          puts "resize $instance $other"
          break
        }
        replace_cell $cell $now
      }
    }
    if {!$gained} { break }
  }
}

resize_all
