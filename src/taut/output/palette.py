"""Colours of plots and films, the same as those of the page on a light ground."""

from __future__ import annotations

TENSION = ("#c98512", "#d2662f", "#c04461", "#8f2d80", "#552381", "#26175f")
"""Low to high: lightness falls all the way, so the order is seen in grey and with any colour vision."""

LINES = ("#0072b2", "#d55e00", "#00855f", "#a3467f", "#8a6d00", "#3f5bd8", "#5c5c5c")
"""After Okabe and Ito: told apart with any colour vision."""

PLATE = "#c3ccd8"
GROUND, SHADOW, CONTACT = "#d9dde3", "#4d5563", "#8a5a00"
BAR, NODE, SUPPORT, SLACK, PUSH, UNKNOWN = "#76849a", "#27313f", "#8a94a3", "#d5d8dd", "#1f7fb8", "#8b95a4"
TEXT, MUTED, RULE = "#1a2230", "#566172", "#dce0e6"
