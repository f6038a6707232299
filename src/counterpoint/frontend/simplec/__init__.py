"""Simple C, the language of the SRTool paper: read, checked and translated to C (docs/simple-c.md)."""
