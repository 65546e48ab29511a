// A report to look at: one HTML file that needs nothing else.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace qosarb {

/// page.html, with a mark where the data stand.
const char* page_template();

/// The page that shows `data`: docs/report.md says what is in it.
std::string page_of(const nlohmann::ordered_json& data);

}  // namespace qosarb
