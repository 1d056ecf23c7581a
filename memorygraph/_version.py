"""The version, in its one place: hatchling reads it from here."""

__version__ = "0.1.0"
