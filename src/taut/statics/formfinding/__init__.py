"""Form-finding: from what is joined to what to a shape that carries itself, one method a file, all ending alike.

force_density: force densities are given, the shape is one linear solve (or a null space, where nothing is held).
adaptive: only the signs are given; force densities and shape are found in turn.
relaxation: rest lengths, bar lengths and stiffnesses are given; a damped fictitious motion comes to rest.
lengths: cable lengths are given; bars are made as long as they can be.

Every method returns an `Equilibrium`. What does not belong here: forces at a given shape (prestress), loads on a found
structure (balance), the certificate of stability.
"""

from taut.statics.formfinding.front import METHODS, formfind

__all__ = ["METHODS", "formfind"]
