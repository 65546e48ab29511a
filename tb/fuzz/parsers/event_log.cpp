#include "qosarb/events/event_log.hpp"

#include "input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return qosarb::fuzz::fuzz(data, size, [](const std::string& file) {
    qosarb::EventLogReader reader(file, qosarb::fuzz::arbiter_of_8_queues());
    for (qosarb::Event event; reader.next(event);) {
    }
  });
}
