"""Processes that answer DASH's questions, on this machine or on a cluster's."""
