"""Formulas in the user's words."""
