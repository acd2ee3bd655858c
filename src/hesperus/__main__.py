"""`python -m hesperus` is the command."""

from hesperus.cli import main

if __name__ == "__main__":
    main()
