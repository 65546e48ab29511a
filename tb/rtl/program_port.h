/* The example of docs/programming.md, so that a test can run it. */
#ifndef PROGRAM_PORT_H
#define PROGRAM_PORT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One word over the bus; `addr` is a byte address. */
void bus_write(uintptr_t addr, uint32_t word);
uint32_t bus_read(uintptr_t addr);

struct entry {
  uint32_t queue;
  uint32_t quantum; /* flits */
};

/* Selects bxi-deficit with this table. Returns 0, or -1 when the port refused the table; then
 * *where is the entry with a short quantum or the queue without an entry. */
int program_port(uintptr_t port, const struct entry *table, uint32_t entries,
                 uint32_t max_packet_flits, uint32_t *where);

#ifdef __cplusplus
}
#endif

#endif
