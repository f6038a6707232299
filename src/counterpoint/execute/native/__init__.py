"""Native runs of prepared programs: instrumentation, the runtime, replay and search."""
