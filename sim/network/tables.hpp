// The figures of a run as tables for other programs.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "qosarb/network/recording.hpp"
#include "qosarb/network/report.hpp"

namespace qosarb {

struct Table {
  std::string name;
  std::vector<std::string> columns;
  std::vector<nlohmann::json> rows;  ///< each an array of cells; null: there is no value
};

/// classes, hosts (each class at each host that sends it), ranks (of traces), series, links,
/// link-flits (each service level on each link), pauses (each queue of each sender), cdf, counters
/// (each port with a link, whole run) and counter-series (all switches together, what each slice
/// added). Times in ns, utilizations and loads as shares of a link's rate; see docs/report.md.
std::vector<Table> tables_of_run(Network& network, const Recording& recording,
                                 const RunReport& report);

/// What those tables are called, in their order; they are the same for every run.
std::vector<std::string> names_of_tables();

/// RFC 4180, with a header; an empty cell where there is no value.
std::string to_csv(const Table& table);

/// `json`, an object that to_json() gave, with the tables under "tables": an object for each, with
/// its columns and rows.
std::string with_tables(const std::string& json, const std::vector<Table>& tables);

}  // namespace qosarb
