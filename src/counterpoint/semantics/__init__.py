"""What instructions mean, written once over an algebra of values; and what memory means."""
