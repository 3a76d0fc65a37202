"""What constrains the nodes of a structure: one file for each kind of rows of the constraint Jacobian G."""
