"""From raw conversation and documents to claims: with a language model, or without one."""
