"""The fonts of our papers, with their licence beside them."""
