"""Entities and their relations as people see them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.text import Text
from rich.tree import Tree

from memorygraph_api.cli.terminal.page import Page, day
from memorygraph_api.wire import outward, plain

if TYPE_CHECKING:
    from memorygraph.entities.records import (
        EntityCard,
        EntityPage,
        EntityRecord,
        Merged,
        MergeSuggestion,
        Relation,
        Split,
    )
    from memorygraph.records import EntityRef

__all__ = ["EntitiesPage"]


class EntitiesPage(Page):
    """What the verbs of entities answer."""

    def entities(self, page: EntityPage) -> None:
        """A page of entities."""
        if not page.entities:
            self.say("No entities.")
            return
        table = self.table(("entity", "left"), ("kind", "left"), ("retention", "right"), ("id", "left"))
        for entity in page.entities:
            cell = Text(plain(entity.name))
            if entity.aliases:
                cell.append(plain(f"\n{', '.join(entity.aliases)}"), style="dim")
            table.add_row(cell, Text(plain(entity.kind)), f"{entity.retention:.2f}", Text(entity.id, style="dim"))
        self.console.print(table)
        self.more(page.next_cursor)

    def entity(self, done: str, entity: EntityRecord) -> None:
        """What was ``done`` to an entity, and the entity."""
        self.say(done, "bold")
        self.console.print(_head(entity))

    def entity_card(self, card: EntityCard) -> None:
        """What is known of an entity."""
        tree = Tree(_head(card.entity), guide_style="dim")
        for heading, cells in (
            ("relations", [_relation_text(relation) for relation in card.relations]),
            ("statements", [self.memory_cell(memory) for memory in card.statements]),
            ("summaries", [self.memory_cell(memory) for memory in card.summaries]),
            ("merges", [_merge_text(merge.seq, merge.action, merge.other, merge.reason) for merge in card.merges]),
        ):
            if cells:
                branch = tree.add(Text(heading, style="bold"))
                for cell in cells:
                    branch.add(cell)
        self.console.print(tree)
        self.more(card.next_cursor)

    def merge_suggestions(self, found: Sequence[MergeSuggestion]) -> None:
        """Pairs of entities that may be one."""
        if not found:
            self.say("No two entities look like one.")
            return
        table = self.table(("score", "right"), ("one", "left"), ("other", "left"), ("why", "left"))
        for pair in found:
            table.add_row(
                f"{pair.score:.2f}", _named(pair.first), _named(pair.second), Text(plain("; ".join(pair.why)))
            )
        self.console.print(table)

    def merged(self, merged: Merged) -> None:
        """What became of a merge."""
        self.entity(f"Merged: {merged.merged_id} leads to it. Event {merged.seq} undoes it.", merged.entity)

    def split(self, split: Split) -> None:
        """What became of the undoing of a merge."""
        self.entity("Split", split.entity)
        self.console.print(_head(split.restored))

    def relation(self, done: str, relation: Relation) -> None:
        """What was ``done`` to a relation, and the relation."""
        self.say(done, "bold")
        self.console.print(_relation_text(relation))

    def relations(self, found: Sequence[Relation]) -> None:
        """The relations of an entity."""
        for relation in found:
            self.console.print(_relation_text(relation))
        if not found:
            self.say("No relations.")


def _head(entity: EntityRecord) -> Text:
    head = Text.assemble((plain(entity.name), "bold"), f" ({plain(entity.kind)})")
    if entity.pinned:
        head.append(", pinned")
    if entity.description:
        head.append(plain(f"\n{entity.description}"))
    if entity.aliases:
        head.append(plain(f"\nalso called {', '.join(entity.aliases)}"))
    mark = outward({"importance": entity.importance})["importance"]
    return head.append(f"\nimportance {mark:g}, retention {entity.retention:.2f}  {entity.id}", style="dim")


def _named(entity: EntityRef) -> Text:
    return Text.assemble(plain(f"{entity.name} ({entity.kind})"), "\n", (entity.id, "dim"))


def _relation_text(relation: Relation) -> Text:
    """A relation on two lines: what it says, and since when, until when and by how much evidence."""
    said = f"{relation.subject.name} {relation.predicate} {relation.object.name}"
    known = [f"evidence {relation.evidence_count}", f"weight {relation.weight:g}"]
    for word, at in (("from", relation.valid_from), ("to", relation.valid_to), ("retired", relation.retired_at)):
        if at is not None:
            known.append(f"{word} {day(at)}")
    return Text.assemble(plain(said), "\n", (f"{', '.join(known)}  {relation.id}", "dim"))


def _merge_text(seq: int, action: str, other: EntityRef | None, reason: str | None) -> Text:
    who = "an entity that was erased" if other is None else f"{other.name} ({other.kind})  {other.id}"
    return Text(plain(f"event {seq}, {action}: {who}" + ("" if reason is None else f": {reason}")))
