"""Task sets, limits, tables, and other tools side by side."""
