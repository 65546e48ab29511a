// The QoS options of OpenSM, the InfiniBand subnet manager, as an arbiter's tables.
//
// What OpenSM does with them was found out from its manual page, its sources (osm_subnet.c,
// osm_qos.c) and from OpenSM 3.3.23 itself on a simulated fabric.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "qosarb/config/input_error.hpp"
#include "qosarb/policy/config.hpp"
#include "qosarb/policy/infiniband.hpp"

namespace qosarb {

/// The kinds of ports that have option sets of their own: qos_ca_, qos_sw0_, qos_swe_, qos_rtr_.
enum class OpenSmTarget { Ca, SwitchPort0, SwitchExternal, Router };

/// How the options are read.
enum class OpenSmReading {
  Strict,        ///< whatever OpenSM would bend or drop is an error
  AsOpenSmDoes,  ///< exactly what OpenSM 3.3.23 writes into the port
};

/// The port that the tables are for.
struct OpenSmPort {
  OpenSmTarget target = OpenSmTarget::SwitchExternal;
  int data_vls = 8;   ///< operational data VLs: 1, 2, 4, 8 or 15
  int low_cap = 64;   ///< VLArbLowCap, entries, 0..64
  int high_cap = 64;  ///< VLArbHighCap, entries, 0..64
};

/// What a port is given.
struct OpenSmQos {
  int max_vls = 15;                           ///< qos_max_vls; OpenSM itself makes no use of it
  std::uint32_t limit_of_high_priority = 0;   ///< VLHighLimit
  std::vector<InfiniBandConfig::Entry> high;  ///< high_cap entries; weight 0 where unused
  std::vector<InfiniBandConfig::Entry> low;   ///< low_cap entries
  std::array<std::uint8_t, 16> sl_vl{};       ///< the VL of each SL; 15 drops its packets
};

/// Reads an opensm.conf. Keys that do not begin with "qos_" are passed over, and qos_policy_file.
/// An option that neither the target's own set nor the default set gives has OpenSM's default.
///
/// Strict: weights are 0..255, VLs 0..14 and below `port.data_vls`, a table has no more entries
/// than the port (and no more than 64), sl2vl has 16 VLs, of which 15 means to drop; a QoS option
/// is given once and has a known name, and there is one. OpenSM's own defaults are taken as OpenSM
/// does, also on a port that has fewer VLs than they name. Errors: InputError naming file and line,
/// also if the file cannot be read. AsOpenSmDoes has no other errors.
OpenSmQos load_opensm(const std::string& file, const OpenSmPort& port, OpenSmReading reading);

/// The infiniband arbiter of such a port, one queue per data VL, packets of up to
/// `max_packet_flits` flits of `flit_bytes` bytes. Unused entries at the end of a table are left
/// out. strict is false: an option file may leave VLs without weight.
ArbiterConfig arbiter_config(const OpenSmQos& qos, const OpenSmPort& port,
                             std::uint32_t max_packet_flits, std::uint32_t flit_bytes = 64);

}  // namespace qosarb
