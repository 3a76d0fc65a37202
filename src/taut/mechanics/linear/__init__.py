"""Linear models of a nodal plant: the first derivatives of its equations about a state."""
