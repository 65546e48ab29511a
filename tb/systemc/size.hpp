// The modules of SystemC at the size of the RTL.
#pragma once

#include "qosarb/sc/network.hpp"
#include "qosarb/sc/port.hpp"
#include "systemc/rtl_size.hpp"

namespace qosarb {

using RtlSignals = sc::PortSignals<kRtl.queues, kRtl.packet_flits>;
using RtlGrant = sc::GrantSignals<kRtl.queues, kRtl.packet_flits>;
using RtlReference = sc::Port<kRtl.queues, kRtl.packet_flits>;
using RtlNetwork = sc::Network<kRtl.queues, kRtl.packet_flits>;

}  // namespace qosarb
