"""Numbers with names: what tables, CSV files, pandas and xarray take, said once for each kind of result.

A result is a set of variables over dimensions with labels. As a table it has one row for each label of its row
dimensions, and a column for every other label: `cable_tension` over time and cables becomes `cable:west.tension`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from taut.errors import OptionError
from taut.reprs import brief

Columns = dict[str, np.ndarray]
"""A table: equally long columns by name."""


class Variable(NamedTuple):
    """What an array is: its dimensions, unit and meaning, and how one of its columns is called."""

    dimensions: tuple[str, ...]
    unit: str
    meaning: str
    column: str = ""  # such as "cable:{cable}.tension"; a variable of the rows alone is called by its name


@dataclass(frozen=True)
class Labelled:
    """Arrays with the labels of their dimensions.

    rows: the dimensions that have a row each. values: by name. facts: words about the whole.
    """

    rows: tuple[str, ...]
    labels: Mapping[str, Sequence[Any] | np.ndarray]
    variables: Mapping[str, Variable]
    values: Mapping[str, np.ndarray]
    facts: Mapping[str, str] = field(default_factory=dict)

    __repr__ = brief

    def columns(self) -> Columns:
        """As a table: the labels of the rows, and all that has a number for each of them."""
        marks = np.meshgrid(*(np.arange(len(self.labels[name])) for name in self.rows), indexing="ij")
        found = {name: np.asarray(self.labels[name])[mark.ravel()] for name, mark in zip(self.rows, marks, strict=True)}
        count = len(self.rows)
        for name, variable in self.variables.items():
            values = self.values[name]
            if variable.dimensions[:count] != self.rows or not values.size:
                continue
            others = variable.dimensions[count:]
            flat = values.reshape(marks[0].size, -1)
            for k, chosen in enumerate(product(*(self.labels[other] for other in others))):
                told = variable.column.format(**dict(zip(others, chosen, strict=True))) if others else name
                marked = told in self.rows and np.array_equal(
                    found[told], flat[:, k]
                )  # as what an axis of a map commands
                if others and told in found and not marked:
                    raise OptionError(f'two columns of the table would be "{told}"; rename one of these parts')
                found[told] = flat[:, k]
        return found

    def dataset(self) -> Any:
        """As an `xarray.Dataset`; what has no numbers is left out."""
        try:
            import xarray
        except ImportError:
            raise OptionError("xarray is not installed; pip install xarray") from None
        shown = {name: variable for name, variable in self.variables.items() if self.values[name].size}
        used = {dimension for variable in shown.values() for dimension in variable.dimensions}
        return xarray.Dataset(
            {
                name: (variable.dimensions, self.values[name], {"units": variable.unit, "long_name": variable.meaning})
                for name, variable in shown.items()
            },
            coords={name: np.asarray(labels) for name, labels in self.labels.items() if name in used - shown.keys()},
            attrs=dict(self.facts),
        )


class Tabular:
    """Mixed into results that can be read as a table."""

    def labelled(self) -> Labelled:
        """All numbers with their names."""
        raise NotImplementedError

    def columns(self) -> Columns:
        """As a table: columns by name, SI units."""
        return self.labelled().columns()

    def to_dataframe(self) -> Any:
        """A `pandas.DataFrame` with the columns that `taut.save(..., "x.csv")` writes."""
        try:
            import pandas
        except ImportError:
            raise OptionError('pandas is not installed; pip install pandas, or taut.save(..., "x.csv")') from None
        return pandas.DataFrame(self.columns())

    def to_xarray(self) -> Any:
        """An `xarray.Dataset`: every array with the labels and units of its dimensions."""
        return self.labelled().dataset()


def one_below_another(*parts: Mapping[str, Iterable[Any]]) -> Columns:
    """Tables as one; where a part has no such column, NaN."""
    names = dict.fromkeys(name for part in parts for name in part)
    sizes = [len(list(next(iter(part.values())))) for part in parts]
    empty = [np.full(size, np.nan) for size in sizes]
    return {
        name: np.concatenate([np.asarray(part.get(name, gap)) for part, gap in zip(parts, empty, strict=True)])
        for name in names
    }
