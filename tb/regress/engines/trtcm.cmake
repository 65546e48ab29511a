verilate_soak_engine(trtcm qosarb_trtcm ${queues} BurstWidth=16)
