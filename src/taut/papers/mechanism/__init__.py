"""M. Arsenault, C. M. Gosselin: Dynamic simulation of a spatial 3-DOF tensegrity mechanism."""
