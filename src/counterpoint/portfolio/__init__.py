"""Which engines run, in which processes, and what becomes of their verdicts."""
