"""Measurements behind the figures in the documents; each prints what it measured."""
