#include "input.hpp"
#include "qosarb/events/event_log.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return qosarb::fuzz::fuzz(data, size, [](const std::string& file) {
    const qosarb::RawLog raw{.commits = 2, .has_chip = true};
    qosarb::EventLogReader reader(file, qosarb::fuzz::arbiter_of_8_queues(), raw);
    for (qosarb::Event event; reader.next(event);) {
    }
  });
}
