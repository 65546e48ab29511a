verilate_soak_engine(bxi qosarb_bxi ${table})
verilate_soak_engine(bxi_next qosarb_bxi ${table} Latency=1)
