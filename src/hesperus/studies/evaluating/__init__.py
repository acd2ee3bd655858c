"""Open answers, ready or just asked: pairs with the reference, translated, evaluated, with the control next to them."""
