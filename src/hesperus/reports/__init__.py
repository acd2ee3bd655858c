"""What people see of a run: tables, figures, the card, the page."""
