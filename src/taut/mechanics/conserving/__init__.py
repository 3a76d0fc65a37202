"""Steps that conserve energy: secant forces and constraints, their matrix, and a plant that has them."""
