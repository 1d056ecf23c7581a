"""Language models behind a service of any provider that litellm speaks to, asked for structured answers."""

from memorygraph.llm.chat import ChatModel, Reply, load_chat_model

__all__ = ["ChatModel", "Reply", "load_chat_model"]
