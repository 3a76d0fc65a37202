"""The mass matrix of a structure: constant for thin bars, changing with their shape for compressible cylinders."""
