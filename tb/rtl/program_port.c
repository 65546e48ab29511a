#include "program_port.h"

#include "qosarb_port_regs.h"

int program_port(uintptr_t port, const struct entry *table, uint32_t entries,
                 uint32_t max_packet_flits, uint32_t *where) {
  uint32_t status;
  uint32_t e;

  bus_write(port + QOSARB_PORT_POLICY_OFFSET, QOSARB_PORT_POLICY_BXI_DEFICIT);
  bus_write(port + QOSARB_PORT_MAX_PACKET_FLITS_OFFSET, max_packet_flits);
  bus_write(port + QOSARB_PORT_TABLE_ENTRIES_OFFSET, entries);
  for (e = 0; e < entries; e++) {
    bus_write(port + QOSARB_PORT_TABLE_OFFSET(e),
              QOSARB_PORT_TABLE_QUEUE_ID_PUT(table[e].queue) |
                  QOSARB_PORT_TABLE_QUANTUM_PUT(table[e].quantum));
  }
  bus_write(port + QOSARB_PORT_COMMIT_OFFSET, QOSARB_PORT_COMMIT_START_PUT(1));
  do {
    status = bus_read(port + QOSARB_PORT_STATUS_OFFSET);
  } while (QOSARB_PORT_STATUS_PROGRESS_GET(status) != QOSARB_PORT_STATUS_PROGRESS_IDLE);
  if (QOSARB_PORT_STATUS_OUTCOME_GET(status) == QOSARB_PORT_STATUS_OUTCOME_IN_FORCE) return 0;
  *where = QOSARB_PORT_STATUS_WHERE_GET(status);
  return -1;
}
