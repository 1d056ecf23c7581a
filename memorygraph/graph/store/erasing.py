"""Statements that find what an erasure concerns, and remove it."""

from __future__ import annotations

from collections.abc import Sequence

from memorygraph.graph.session import Row, UserTransaction

__all__ = ["ErasingStatements"]


class ErasingStatements(UserTransaction):
    """Statements that find what an erasure concerns, and remove it."""

    async def read_erasable(self, *, ids: Sequence[str]) -> list[Row]:
        """What bears one of the ids, whatever it is: ``id``, ``type``, ``properties``."""
        return await self.rows("read_erasable", ids=list(ids))

    async def read_sharers(self, *, fingerprints: Sequence[str]) -> list[str]:
        """Ids of statements, live or forgotten, that are known by one of the fingerprints."""
        rows = await self.rows("read_sharers", fingerprints=list(fingerprints))
        return [id for row in rows for id in (*row["statements"], *row["forgotten"])]

    async def read_episodes(self, *, ids: Sequence[str]) -> list[Row]:
        """Episodes with the ``statements`` and ``summaries`` that were taken from them."""
        return await self.rows("read_episodes", ids=list(ids))

    async def read_standing_for(self, *, ids: Sequence[str]) -> list[str]:
        """Ids of the summaries that stand for forgotten originals."""
        return [row["id"] for row in await self.rows("read_standing_for", ids=list(ids))]

    async def read_telling_stubs(self, *, ids: Sequence[str]) -> list[Row]:
        """The properties of stubs whose payload names one of the ids."""
        return [row["properties"] for row in await self.rows("read_telling_stubs", ids=list(ids))]

    async def read_fusions(self, *, ids: Sequence[str]) -> list[str]:
        """Ids of the summaries that were once made of the named originals, there or not."""
        return [row["id"] for row in await self.rows("read_fusions", ids=list(ids))]

    async def read_mentioning(self, *, ids: Sequence[str]) -> list[str]:
        """Ids of statements and summaries that mention one of the entities."""
        return [row["id"] for row in await self.rows("read_mentioning", ids=list(ids))]

    async def read_left_entities(self, *, ids: Sequence[str]) -> list[Row]:
        """Those of the entities that nothing is tied to any more."""
        return await self.rows("read_left_entities", ids=list(ids))

    async def read_successions(self, *, ids: Sequence[str]) -> list[Row]:
        """What memories superseded, ``statements`` and ``summaries``, and the ids of what superseded them."""
        return await self.rows("read_successions", ids=list(ids))

    async def scan_statements(self, *, after: str, page: int) -> list[Row]:
        """A page of the user's statements in the order of their ids."""
        return await self.rows("scan_statements", after=after, page=page)

    async def scan_claims(self, *, after: str, page: int) -> list[Row]:
        """A page of the statements that make a claim, in the order of their ids: what their values are known by."""
        return await self.rows("scan_claims", after=after, page=page)

    async def scan_summaries(self, *, after: str, page: int) -> list[Row]:
        """A page of the user's summaries in the order of their ids."""
        return await self.rows("scan_summaries", after=after, page=page)

    async def scan_stubs(self, *, after: str, page: int) -> list[Row]:
        """A page of the user's stubs in the order of their ids."""
        return await self.rows("scan_stubs", after=after, page=page)

    async def scan_episodes(self, *, after: str, page: int) -> list[Row]:
        """A page of the user's episodes in the order of their ids."""
        return await self.rows("scan_episodes", after=after, page=page)

    async def scan_entities(self, *, after: str, page: int) -> list[Row]:
        """A page of the user's entities in the order of their ids."""
        return await self.rows("scan_entities", after=after, page=page)

    async def scan_aliases(self) -> list[Row]:
        """The user's keys of aliases: ``name_key``, ``kind`` and ``entity_id``."""
        return await self.rows("scan_aliases")

    async def scan_tombstones(self, *, after: str, page: int) -> list[Row]:
        """A page of the user's tombstones in the order of their fingerprints."""
        return await self.rows("scan_tombstones", after=after, page=page)

    async def scan_reasons(self) -> list[Row]:
        """The relationships of the user that carry words of somebody's own."""
        return await self.rows("scan_reasons")

    async def erase_statements(self, *, ids: Sequence[str]) -> None:
        """Removes statements with all that ties them."""
        await self.rows("erase_statements", ids=list(ids))

    async def erase_summaries(self, *, ids: Sequence[str]) -> None:
        """Removes summaries with all that ties them."""
        await self.rows("erase_summaries", ids=list(ids))

    async def erase_stubs(self, *, ids: Sequence[str]) -> None:
        """Removes stubs with all that ties them."""
        await self.rows("erase_stubs", ids=list(ids))

    async def erase_episodes(self, *, ids: Sequence[str]) -> None:
        """Removes episodes with all that ties them."""
        await self.rows("erase_episodes", ids=list(ids))

    async def erase_entities(self, *, ids: Sequence[str]) -> None:
        """Removes entities with all that ties them, and the keys of their aliases."""
        await self.rows("erase_entities", ids=list(ids))

    async def erase_aliases(self, *, rows: Sequence[Row]) -> None:
        """Removes the keys of single aliases: rows of ``entity_id`` and ``name_key``."""
        await self.rows("erase_aliases", rows=list(rows))

    async def erase_payloads(self, *, targets: Sequence[str], gone: Sequence[str]) -> None:
        """Takes payload and salt from events about ``targets``, and from those that tell of what is ``gone``."""
        await self.rows("erase_payloads", targets=list(targets), gone=list(gone))

    async def erase_payloads_of(self, *, seqs: Sequence[int]) -> None:
        """Takes payload and salt from single events."""
        await self.rows("erase_payloads_of", seqs=list(seqs))

    async def erase_reasons(self, *, rows: Sequence[Row]) -> None:
        """Changes relationships: rows of ``type``, ``source_id``, ``target_id`` and ``properties``."""
        await self.rows("erase_reasons", rows=list(rows))

    async def write_erasure(self, *, rows: Sequence[Row]) -> None:
        """Leaves tombstones: rows of ``fingerprint`` and ``properties``."""
        await self.rows("write_erasure", rows=list(rows))

    async def write_payloads(self, *, rows: Sequence[Row]) -> None:
        """Gives stubs other payloads: rows of ``id`` and ``payload``."""
        await self.rows("write_payloads", rows=list(rows))

    async def write_episodes(self, *, rows: Sequence[Row]) -> None:
        """Changes properties of episodes: rows of ``id`` and ``properties``."""
        await self.rows("write_episodes", rows=list(rows))

    async def erase_excuses(self, *, rows: Sequence[Row]) -> None:
        """Takes their reasons from single tombstones: rows of ``fingerprint``."""
        await self.rows("erase_excuses", rows=list(rows))

    async def keep_ties(self, *, summary_id: str, entity_ids: Sequence[str], evidence: Sequence[str]) -> None:
        """Unties a summary from all entities and episodes but these; evidence is ``id start end``."""
        await self.rows("keep_ties", summary_id=summary_id, entity_ids=list(entity_ids), evidence=list(evidence))
