"""Questions with nothing moving: self-stress, form, prestress, stability, stiffness, modes, load paths, sizes."""
