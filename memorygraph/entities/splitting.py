"""Undoing a merge: the other entity comes back as it was, and what came later stays or goes by its own words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any

from memorygraph.access.state import ParametersInForce, access_properties, history_of
from memorygraph.entities.change import Change
from memorygraph.entities.histories import parted_history
from memorygraph.entities.merging import MERGED, Edges, mention_key
from memorygraph.entities.named_in import named_in
from memorygraph.entities.names import check_free, described, find_entity
from memorygraph.entities.naming import Names
from memorygraph.entities.parting import left_behind, split_off, taken_out
from memorygraph.entities.standing import handle_of, read_standings, retired_for_good, settled, stated_ids
from memorygraph.errors import Conflict, NotFound
from memorygraph.graph.session import Row
from memorygraph.writing.events import payload_of

__all__ = ["SPLIT", "SplitUp"]

SPLIT = "entity:split"
_PLAIN_FIELDS = ("description", "importance", "pinned")
_LATER_FIRST = "Split that one first, and this one then."


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitUp:
    """A merge that is to be undone, named by the event or by the id of the entity that was merged."""

    entity: str
    merge: int | str

    async def run(self, change: Change) -> str:
        """Raises :class:`NotFound`, and :class:`Conflict` with the reason when it cannot be undone.

        Returns the id of the entity that had been kept.
        """
        store = change.store
        kept = await find_entity(store, self.entity, None, field="entity_id")
        event = await self._event(change, kept)
        payload = payload_of(event)
        before, after = payload["before"], payload["after"]
        other = before["other"]
        await check_free(store, other["name"], other["name_key"], other["kind"], own_id=kept["id"])
        if (kept["name_key"], kept["kind"]) == (other["name_key"], other["kind"]):
            raise Conflict(
                f"{described(kept)} bears the name of the entity that is to be restored.", hint="Rename it first."
            )
        rows = await store.read_entity_edges(ids=[kept["id"]])
        edges = Edges.of(rows[0])
        moves = await self._mentions(change, edges, event, before)
        relations = part_relations(
            edges, before, now=change.now, theirs=moves.later, made_since=await self._made_since(change, edges, event)
        )
        parts = [row["properties"] for row in (*relations.created, *relations.written)]
        standings = await read_standings(store, parts)
        for part in parts:  # what one of them was superseded from was not so of the two together
            part |= settled(part, standings, now=change.now)
        properties = part_properties(kept, before["kept"], after["kept"], change.parameters)
        released, returned = await self._aliases(change, kept, properties, payload)

        restored = {
            **other,
            **_names_left(other, {row["name_key"] for row in returned}),
            **access_properties(history_of(other), change.parameters, importance=other["importance"], standing=None),
            **_bookkeeping(other, change),
        }
        await store.delete_aliases(rows=released)
        await store.create_entities(rows=[{"id": other["id"], "properties": restored}])
        await store.write_entity(id=kept["id"], properties={**properties, **_bookkeeping(kept, change)})
        await store.write_aliases(rows=returned)
        await store.delete_mentions(entity_id=kept["id"], rows=moves.taken)
        await store.create_mentions(entity_id=other["id"], rows=moves.given)
        await store.delete_relations(rows=relations.deleted)
        await store.create_relations(rows=relations.created)
        await store.write_relations(rows=relations.written)
        await change.note(
            SPLIT,
            kept["id"],
            before={"kept": {name: kept.get(name) for name in properties}},
            after={
                "kept": properties,
                "merged_id": other["id"],
                "other": {name: other[name] for name in ("id", "name", "kind")},
                "merge_seq": event["seq"],
                "relations": [row["properties"]["id"] for row in relations.created],
            },
        )
        return str(kept["id"])

    async def _event(self, change: Change, kept: Row) -> Row:
        """The event of the merge. Raises :class:`NotFound`, and :class:`Conflict` when it cannot be undone now."""
        merged_ids = kept.get("merged_ids") or []
        rows = [row["event"] for row in await change.store.read_events_of(target_ids=[kept["id"]])]
        merges = [row for row in rows if row["action"] == MERGED]
        if isinstance(self.merge, int):
            found = [event for event in merges if event["seq"] == self.merge]
            if not found:
                raise NotFound(f"Event {self.merge} is no merge into {described(kept)}.")
        elif self.merge not in merged_ids:
            raise NotFound(f"{self.merge[:60]!r} is not merged into {described(kept)}.")
        else:
            found = [event for event in merges if _merged_id(event) == self.merge]
            found = found or [event for event in merges if _merged_id(event) is None]
        if not found:
            raise Conflict(
                f"{self.merge!r} was merged into an entity that is itself merged into {described(kept)}.",
                hint="Split that one off first.",
            )
        event: Row = found[-1]
        merged_id = _merged_id(event)
        if merged_id is None:
            raise Conflict(f"What the merge {event['seq']} did was erased with what it was about; it cannot be undone.")
        if merged_id not in merged_ids:
            raise Conflict(f"The merge {event['seq']} was undone before.")
        if merged_ids[-1] != merged_id:
            raise Conflict(f"{merged_ids[-1]!r} was merged into {described(kept)} later.", hint=_LATER_FIRST)
        return event

    async def _mentions(self, change: Change, kept: Edges, event: Row, before: Row) -> _Moves:
        """Which mentions go back: those of the time, and later ones by the names in the text."""
        other = before["other"]
        moves = _Moves()
        own = {mention_key(mention): mention for mention in kept.mentions}
        gone = []
        for mention in before["mentions"]:
            if mention_key(mention) in own:
                moves.take(mention)
                moves.give(mention)
            else:
                gone.append(mention)
        for mention in before["shared_mentions"]:
            (moves.give if mention_key(mention) in own else gone.append)(mention)
        # What was fused meanwhile is mentioned by its summary; what was erased is not mentioned at all.
        stubs = await change.store.read_forgotten(ids=[mention["id"] for mention in gone])
        summary_of = {stub["properties"]["id"]: stub["summary_id"] for stub in stubs}
        for mention in gone:
            if (summary_id := summary_of.get(mention["id"])) is not None:
                moves.give({**mention, "id": summary_id})
        await self._later_mentions(change, kept, event, other, moves)
        return moves

    async def _later_mentions(self, change: Change, kept: Edges, event: Row, other: Row, moves: _Moves) -> None:
        known = moves.ids
        later = await change.store.read_later_mentions(id=kept.properties["id"], since=event["at"])
        theirs = {other["name_key"], *(other.get("alias_keys") or [])}
        ours = {kept.properties["name_key"], *(kept.properties.get("alias_keys") or [])} - theirs
        named = {row["id"]: named_in(row["text"], theirs | ours) for row in later if row["id"] not in known}
        naming = [id for id, keys in named.items() if keys & theirs]
        first_seq = await _first_seqs(change, naming)
        for row in later:
            # Clocks may stand still: only the order of events tells what came before the merge.
            if row["id"] not in naming or first_seq.get(row["id"], 0) <= event["seq"]:
                continue
            properties = {name: value for name, value in row["properties"].items() if name != "end_user_id"}
            mention = {"id": row["id"], "properties": properties}
            moves.give(mention)
            if not named[row["id"]] & ours and row["type"] == "Statement":
                moves.take(mention)
                moves.later.add(row["id"])

    async def _made_since(self, change: Change, kept: Edges, event: Row) -> set[str]:
        """The relations of the kept entity that were first stated, or corrected, since the merge."""
        recent = [id for id, row in kept.relations.items() if row["properties"]["recorded_at"] >= event["at"]]
        return {id for id, seq in (await _first_seqs(change, recent)).items() if seq > event["seq"]}

    async def _aliases(
        self, change: Change, kept: Row, properties: Row, payload: Mapping[str, Any]
    ) -> tuple[list[Row], list[Row]]:
        """Keys that no longer lead to the kept entity, and those that lead to the restored one again.

        What was taken away since the merge stays away.
        """
        before, made = payload["before"], payload["after"]["aliases"]
        theirs = [*made, *before["aliases"], *({"name_key": key} for key in before["other"].get("alias_keys") or ())]
        keys = list({row["name_key"]: None for row in theirs})
        still = await change.store.read_aliases(entity_id=kept["id"], name_keys=keys)
        own_keys = {kept["name_key"], *(properties["alias_keys"] or ())}
        returned = [row for row in before["aliases"] if row in still]
        released = [row for row in still if row not in returned and (row in made or row["name_key"] not in own_keys)]
        return (
            [{**row, "entity_id": kept["id"]} for row in released],
            [{**row, "entity_id": before["other"]["id"]} for row in returned],
        )


async def _first_seqs(change: Change, ids: Sequence[str]) -> dict[str, int]:
    """The number of the first event of each of some targets."""
    first: dict[str, int] = {}
    for row in await change.store.read_events_of(target_ids=ids) if ids else ():
        first.setdefault(row["event"]["target_id"], row["event"]["seq"])
    return first


@dataclass(slots=True)
class _Moves:
    """Mentions that the restored entity gets, and those that the kept one loses, each once."""

    given: list[Row] = field(default_factory=list)
    taken: list[Row] = field(default_factory=list)
    later: set[str] = field(default_factory=set)  # statements since the merge that are the restored entity's alone
    _given: set[tuple[str, str]] = field(default_factory=set)

    @property
    def ids(self) -> set[str]:
        return {id for id, _ in self._given}

    def give(self, mention: Row) -> None:
        if mention_key(mention) not in self._given:
            self._given.add(mention_key(mention))
            self.given.append(mention)

    def take(self, mention: Row) -> None:
        id, role = mention_key(mention)
        self.taken.append({"id": id, "role": role})


def _merged_id(event: Mapping[str, Any]) -> str | None:
    """The entity that a merge took in; None when the event's payload was erased."""
    return None if event["payload"] is None else str(payload_of(event)["after"]["merged_id"])


def _names_left(other: Row, keys: set[str]) -> Row:
    """The aliases of ``other`` that still have one of ``keys`` to lead to it."""
    names = Names.of(other)
    for key in names.alias_keys:
        if key not in keys:
            names = names.without_alias(key)
    return names.properties()


def _bookkeeping(entity: Mapping[str, Any], change: Change) -> Row:
    return {"revision": entity["revision"] + 1, "changed_seq": change.seq, "updated_at": change.now}


def part_properties(
    kept: Mapping[str, Any], before: Mapping[str, Any], after: Mapping[str, Any], parameters: ParametersInForce
) -> Row:
    """What to write to the kept entity: as ``before`` where it is still as ``after`` the merge, and what came since."""
    properties = {name: before[name] for name in _PLAIN_FIELDS if name in after and kept.get(name) == after[name]}
    properties["merged_ids"] = before["merged_ids"]
    came = Names.of({name: after.get(name) for name in ("aliases", "alias_keys")})
    was = Names.of({name: before.get(name) for name in ("aliases", "alias_keys")})
    now = Names.of(kept)
    for key in came.alias_keys:
        if key not in was.alias_keys:
            now = now.without_alias(key)
    properties |= now.properties()
    history = parted_history(
        history_of(before), history_of(after), history_of(kept), limit=parameters.values.history_limit
    )
    importance = properties.get("importance", kept["importance"])
    return properties | access_properties(history, parameters, importance=importance, standing=None)


@dataclass(slots=True, kw_only=True)
class RelationsParted:
    """What a split writes of relations."""

    deleted: list[Row] = field(default_factory=list)  # at the ends they have
    created: list[Row] = field(default_factory=list)  # at the ends they had, those that were combined too
    written: list[Row] = field(default_factory=list)


def part_relations(
    kept: Edges,
    before: Mapping[str, Any],
    *,
    now: int,
    theirs: Set[str] = frozenset(),
    made_since: Set[str] = frozenset(),
) -> RelationsParted:
    """How the relations of ``kept`` go back to what they were ``before`` the merge.

    Evidence that came since stays with the kept entity, but for that of the statements ``theirs``; of relations
    ``made_since``, which corrected others, what these had goes where it was. Raises :class:`Conflict` when a
    later merge combined one of them with another.
    """
    other_id = before["other"]["id"]
    current = {id: {**row, "properties": dict(row["properties"])} for id, row in kept.relations.items()}
    absorbed = {id for row in current.values() for id in row["properties"].get("combined_ids") or ()}
    for id in (*(moved["id"] for moved in before["relations"]), *(one["into"] for one in before["combined"])):
        if id not in current and id in absorbed:
            raise Conflict(
                f"The relation {id} was combined with another in a later merge, and cannot be told apart before that.",
                hint=_LATER_FIRST,
            )
    parted = RelationsParted()
    changed: dict[str, Row] = {}
    for combination in reversed(before["combined"]):
        into = current.get(combination["into"])
        if into is None:
            continue  # all evidence of both is gone
        if (restored := taken_out(into["properties"], combination, now=now, theirs=theirs)) is not None:
            original = combination["original"]
            parted.created.append(_at_ends(original, into, other_id) | {"properties": restored})
        changed[combination["into"]] = into
    for moved in before["relations"]:
        if (row := current.get(moved["id"])) is not None:
            parted.deleted.append(handle_of(row))
            if (staying := left_behind(row["properties"], moved, now=now, theirs=theirs)) is not None:
                parted.created.append({**row, "properties": staying})
            parted.created.append(_at_ends(moved, row, other_id) | {"properties": row["properties"]})
            changed.pop(moved["id"], None)
            del current[moved["id"]]
    kept_id = kept.properties["id"]
    for id, row in current.items():
        own = _theirs_then(row, before, {other_id: kept_id}) if id in made_since else set()
        told = [statement for statement in stated_ids(row["properties"]) if statement in theirs | own]
        if told and not retired_for_good(row["properties"]) and row["subject_id"] != row["object_id"]:
            _give(parted, row, told, {kept_id: other_id}, now=now)
            if stated_ids(row["properties"]) or row["properties"]["evidence_count"]:
                changed[id] = row
            else:
                changed.pop(id, None)
    parted.written = [handle_of(row) | {"properties": row["properties"]} for row in changed.values()]
    return parted


def _theirs_then(row: Row, before: Mapping[str, Any], merged: Mapping[str, str]) -> set[str]:
    """The statements by which the restored entity had a relation like this one, of any period, at the merge."""
    key, own = row["properties"]["predicate_key"], set[str]()
    for then in before["relations"]:
        if _says(then, row, merged) and then.get("predicate_key") == key:
            own |= set(then["stated_ids"])
    for one in before["combined"]:
        original = one["original"]
        if _says(original, row, merged) and original["properties"]["predicate_key"] == key:
            own |= set(stated_ids(original["properties"])) - set(stated_ids(one["before"]))
    return own


def _says(then: Mapping[str, Any], now: Row, merged: Mapping[str, str]) -> bool:
    """Whether a relation had ends that are those of another one since the merge."""
    return all(merged.get(then[end], then[end]) == now[end] for end in ("subject_id", "object_id"))


def _give(parted: RelationsParted, row: Row, told: Sequence[str], renamed: Mapping[str, str], *, now: int) -> None:
    """Let the restored entity have what statements ``told`` say of a relation that it had no part in before."""
    relation = row["properties"]
    part = split_off(relation, told, stated_by_hand=0, now=now)
    if not (stated_ids(relation) or relation["evidence_count"]):  # it was said of the restored entity alone
        part |= {name: relation.get(name) for name in ("id", "recorded_at", "combined_ids")}
        parted.deleted.append(handle_of(row))
    ends = {end: renamed.get(row[end], row[end]) for end in ("subject_id", "object_id")}
    parted.created.append({**ends, "properties": part})


def _at_ends(was: Row, now: Row, other_id: str) -> Row:
    """The ends of a relation after the split: the restored entity where it was, elsewhere what stands there now."""
    return {end: other_id if was[end] == other_id else now[end] for end in ("subject_id", "object_id")}
