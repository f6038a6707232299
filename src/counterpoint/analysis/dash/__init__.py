"""The parts of DASH: a forest of regions, what tests explored, and the questions at a frontier."""
