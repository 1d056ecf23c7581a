"""Benchmarks, one file each, run by ``make bench NAME=x``; docs/benchmarks.md says how each is read."""
