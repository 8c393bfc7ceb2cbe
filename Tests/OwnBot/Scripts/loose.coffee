# So does this one.
