"""The demonstration: a conversation is remembered, goes cold, is fused, and is found again."""
