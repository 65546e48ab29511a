// The derivation of guaranteed_service(), one function per policy. docs/analyze.md has the proofs.
#pragma once

#include "qosarb/analyze/service.hpp"

namespace qosarb {

ServiceBound service_of_rr(const ArbiterConfig& config, int queue, const OwnPackets& own);
ServiceBound service_of_bxi(const ArbiterConfig& config, int queue, const OwnPackets& own);
ServiceBound service_of_sbt(const ArbiterConfig& config, int queue, const OwnPackets& own);
ServiceBound service_of_dtable(const ArbiterConfig& config, int queue, const OwnPackets& own);
ServiceBound service_of_infiniband(const ArbiterConfig& config, int queue, const OwnPackets& own);
ServiceBound service_of_trtcm(const ArbiterConfig& config, int queue, const OwnPackets& own);

/// No guarantee, and why.
inline ServiceBound no_service(std::string why) { return {std::nullopt, std::move(why)}; }

}  // namespace qosarb
