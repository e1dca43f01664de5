"""What happens: one file per chapter of the rulebook, pure: `(request, club) -> Outcome`."""
