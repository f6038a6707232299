"""Path formulas and region summaries."""
