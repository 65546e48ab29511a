verilate_soak_engine(dtable qosarb_dtable ${table})
verilate_soak_engine(dtable_next qosarb_dtable_lookahead ${table})
