"""Trees of rigid bodies: Pinocchio gives the terms of the tree, loops are closed here."""
