"""Speed and memory, measured on data made here: `./dev bench`. No test, no threshold."""
