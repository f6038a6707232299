"""Analyses that several engines share."""
