verilate_soak_engine(infiniband qosarb_infiniband ${queues} Entries=16)
