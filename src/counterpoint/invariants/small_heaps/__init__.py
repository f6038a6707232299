"""Facts about blocks tried on heaps of a few blocks first, where each question is propositional."""
