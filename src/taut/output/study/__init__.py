"""Parameter studies: a model at many values of some of its entries, in parallel, kept as they come, in one file."""
