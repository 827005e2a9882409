"""Why a binding is a match, or is none."""
