"""The password of a data folder's graph server: random, one for the folder's whole life."""

from __future__ import annotations

import secrets

from memorygraph.graph.embedded.atomic import write_atomically
from memorygraph.graph.embedded.layout import DataFolderLayout

__all__ = ["USER", "ensure_password"]

USER = "root"


def ensure_password(layout: DataFolderLayout) -> str:
    """The password, made on first use. Call it under the start lock. Raises ``OSError``.

    The server takes a password only while it has no accounts. Where the file was lost (a backup
    without it, say) the accounts, which hold nothing but this one user, are made anew.
    """
    try:
        password = layout.password_file.read_text(encoding="ascii").strip()
    except (FileNotFoundError, UnicodeDecodeError):
        password = ""
    if password:
        # A copy restored from a backup may have come with wider permissions.
        layout.password_file.chmod(0o600)
        return password
    password = secrets.token_urlsafe(32)
    layout.users_file.unlink(missing_ok=True)
    write_atomically(layout.password_file, password.encode("ascii"), durable=True)
    return password
