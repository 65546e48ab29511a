verilate_soak_engine(ets qosarb_ets ${table})
verilate_soak_engine(ets_next qosarb_ets ${table} Latency=1)
