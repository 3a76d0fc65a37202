"""What runs, corrections, linear models and outputs ask of a nodal plant, written against `taut.mechanics.parts`."""
