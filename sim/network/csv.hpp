// The figures of a run as tables for other programs.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "qosarb/network/recording.hpp"
#include "qosarb/network/report.hpp"

namespace qosarb {

/// Names and whole texts (RFC 4180, with a header) of classes.csv, hosts.csv (each class at each
/// host that sends it), series.csv, links.csv, cdf.csv, counters.csv (each port, whole run) and
/// counter-series.csv (all switches together, what each slice added). What has no value is empty.
std::vector<std::pair<std::string, std::string>> csv_of_run(Network& network,
                                                            const Recording& recording,
                                                            const RunReport& report);

}  // namespace qosarb
