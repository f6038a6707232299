"""SLAM's way: Boolean programs, made by `c2bp`, explored by `bebop`, refined in a loop."""
