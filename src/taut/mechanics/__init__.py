"""Physics: what pulls, what pushes, what weighs. Kernels over flat arrays, and the Plant that holds those arrays."""
