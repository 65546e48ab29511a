// The page of a run: docs/report.md.
#pragma once

#include <string>

#include "qosarb/network/recording.hpp"

namespace qosarb {

/// `json` is what to_json() gave, `name` what the page is called, `scenario` its whole text.
std::string page_of_run(const Network& network, const Recording& recording, const std::string& json,
                        const std::string& name, const std::string& scenario);

}  // namespace qosarb
