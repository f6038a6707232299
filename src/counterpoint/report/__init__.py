"""Results for people and for machines: terminal text, JSON, SARIF, HTML."""
