"""The abstract reachability graph: edges, abstract posts, and how it grows."""
