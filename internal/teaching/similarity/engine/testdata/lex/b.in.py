"""A comment in effect."""
import math  # gone
def area(r: float = 1_000) -> float:
    '''the same'''
    name = f"r = {r!r} \" quoted"
    raw = rb'\d'
    text = """kept
    as it is assigned"""
    for i in range(0, 10):
        if i % 2 == 0 and not None: return math.pi * r ** 2
