"""The block graph format of the DASH thesis: read, checked and translated to C; and written (docs/bgd.md)."""
