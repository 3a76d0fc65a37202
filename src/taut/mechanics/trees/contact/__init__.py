"""Trees of bodies on grounds: contact points as nodes, and impulses of rigid grounds at them."""
