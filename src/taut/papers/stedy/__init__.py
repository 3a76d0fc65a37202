"""Hsu, Tadiparthi and Bhattacharya: rigid and compressible bars by corrected integration, in their code "stedy"."""
