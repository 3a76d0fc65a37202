"""Operations of plants in generalised coordinates that stand beside those of every motion."""
