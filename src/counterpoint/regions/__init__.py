"""Walks through the acyclic parts of a program: their summaries, and graphs, chains and trees of places."""
