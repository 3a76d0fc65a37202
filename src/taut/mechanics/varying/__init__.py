"""Numbers of a plant by their address, and variants of it that differ in them."""
