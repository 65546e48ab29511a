verilate_soak_engine(rr qosarb_rr ${table})
