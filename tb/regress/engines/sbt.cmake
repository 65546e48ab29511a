verilate_soak_engine(sbt qosarb_sbt ${queues} QuantumWidth=16)
