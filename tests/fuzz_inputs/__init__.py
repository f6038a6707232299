"""Fuzzing of everything that is handed in: whatever it is, one line and status 2, or a verdict (docs/fuzzing.md)."""
