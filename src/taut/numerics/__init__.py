"""Mathematics without a tensegrity word: compilation, vectors, the saddle-point solve, curves."""
