"""Attacks on clients through their public path: what answers become, byte by byte."""
