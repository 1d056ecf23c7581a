"""What is taken in whole: conversations and documents, read before anything is extracted from them."""
