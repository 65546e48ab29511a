// The method storage of qosarb plan: its part of the file, and its report.

#include "qosarb/plan/method.hpp"
#include "qosarb/plan/storage_plan.hpp"
#include "qosarb/report/text_table.hpp"

namespace qosarb {

namespace {

using Json = nlohmann::ordered_json;

StorageRequirements read_storage(MapReader& reader) {
  StorageRequirements spec;
  spec.entries = reader.unsigned_32_or("entries", 1, kMaxTableEntries, spec.entries);
  spec.queues = reader.unsigned_32_or("queues", 1, kMaxQueues, spec.queues);
  spec.weight_bits = reader.unsigned_32_or("weight_bits", 1, 32, spec.weight_bits);
  spec.current_entry_bits =
      reader.unsigned_32_or("current_entry_bits", 1, 32, spec.current_entry_bits);
  spec.radix = reader.unsigned_32_or("radix", 1, 4096, spec.radix);
  spec.max_packet_flits =
      reader.unsigned_32_or("max_packet_flits", 1, kMaxPacketFlits, spec.max_packet_flits);
  return spec;
}

Json json_of(const PaperStorage& bits) {
  return {{"table_bits", bits.table_bits},
          {"port_basic_bits", bits.port_basic_bits},
          {"port_deficit_bits", bits.port_deficit_bits},
          {"nic_basic_bits", bits.nic_basic_bits},
          {"nic_deficit_bits", bits.nic_deficit_bits},
          {"switch_basic_bits", bits.switch_basic_bits},
          {"switch_deficit_bits", bits.switch_deficit_bits}};
}

Json json_of(const RtlStorage& bits) {
  return {{"table_bits", bits.table_bits},
          {"shadow_bits", bits.shadow_bits},
          {"state_basic_bits", bits.state_basic_bits},
          {"state_deficit_bits", bits.state_deficit_bits},
          {"deficit_bits", bits.deficit_bits},
          {"switch_basic_bits", bits.switch_basic_bits},
          {"switch_deficit_bits", bits.switch_deficit_bits}};
}

PlanReport report(const StorageRequirements& requirements) {
  const StoragePlan plan = plan_storage(requirements);
  PlanReport report;
  report.json = {{"method", "storage"}, {"paper", json_of(plan.paper)}, {"rtl", json_of(plan.rtl)}};
  TextTable text({"bits", "paper", "RTL"});
  const auto row = [&text](const char* name, std::uint64_t paper, std::uint64_t rtl) {
    text.row({name, std::to_string(paper), std::to_string(rtl)});
  };
  row("table", plan.paper.table_bits, plan.rtl.table_bits);
  row("shadow table", 0, plan.rtl.shadow_bits);
  row("port state, basic", plan.paper.port_basic_bits, plan.rtl.state_basic_bits);
  row("port state, deficit", plan.paper.port_deficit_bits, plan.rtl.state_deficit_bits);
  row("one deficit", requirements.weight_bits, plan.rtl.deficit_bits);
  row("switch, basic", plan.paper.switch_basic_bits, plan.rtl.switch_basic_bits);
  row("switch, deficit", plan.paper.switch_deficit_bits, plan.rtl.switch_deficit_bits);
  TextTable nics({"entries", "NIC basic", "NIC deficit", "RTL basic", "RTL deficit"});
  for (const StoragePlan::Point& point : plan.nic_curve) {
    nics.row({std::to_string(point.entries), std::to_string(point.paper.nic_basic_bits),
              std::to_string(point.paper.nic_deficit_bits),
              std::to_string(point.rtl.switch_basic_bits),
              std::to_string(point.rtl.switch_deficit_bits)});
    report.json["nic_curve"].push_back({{"entries", point.entries},
                                        {"paper_basic_bits", point.paper.nic_basic_bits},
                                        {"paper_deficit_bits", point.paper.nic_deficit_bits},
                                        {"rtl_basic_bits", point.rtl.switch_basic_bits},
                                        {"rtl_deficit_bits", point.rtl.switch_deficit_bits}});
  }
  TextTable switches(
      {"radix", "entries", "switch basic", "switch deficit", "RTL basic", "RTL deficit"});
  for (const StoragePlan::Point& point : plan.switch_curve) {
    switches.row({std::to_string(point.radix), std::to_string(point.entries),
                  std::to_string(point.paper.switch_basic_bits),
                  std::to_string(point.paper.switch_deficit_bits),
                  std::to_string(point.rtl.switch_basic_bits),
                  std::to_string(point.rtl.switch_deficit_bits)});
    report.json["switch_curve"].push_back({{"radix", point.radix},
                                           {"entries", point.entries},
                                           {"paper_basic_bits", point.paper.switch_basic_bits},
                                           {"paper_deficit_bits", point.paper.switch_deficit_bits},
                                           {"rtl_basic_bits", point.rtl.switch_basic_bits},
                                           {"rtl_deficit_bits", point.rtl.switch_deficit_bits}});
  }
  report.text =
      text.text() + "\nNICs (Fig. 8)\n" + nics.text() + "\nswitches (Fig. 9)\n" + switches.text();
  return report;
}

}  // namespace

const PlanMethod& storage_method() {
  static const PlanMethodOf<StorageRequirements> method("storage", read_storage, report);
  return method;
}

}  // namespace qosarb
