"""What acts on nodes: one file for each kind of term, with its table, force, energy and stiffness."""
