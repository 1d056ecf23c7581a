"""The pictures and tables of docs/ that are computed by the code they explain."""
