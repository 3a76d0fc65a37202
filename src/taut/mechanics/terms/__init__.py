"""What acts on the nodes of a structure: one file for each kind of term, with its table, force, energy and stiffness."""
