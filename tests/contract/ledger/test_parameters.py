"""Decay parameters on both back ends: versions, scopes, history."""

from __future__ import annotations

import asyncio

from memorygraph.ledger import DEPLOYMENT, Ledger, ParameterScope, ParameterVersion
from memorygraph.parameters import EffectiveParameters
from memorygraph_forgetting import DecayParameters

ALICE = ParameterScope("alice")


async def test_there_are_no_parameters_until_some_are_saved(ledger: Ledger) -> None:
    assert await ledger.parameters.effective("alice") is None
    assert await ledger.parameters.history(DEPLOYMENT) == []


async def test_a_users_values_override_the_deployments_for_that_user_alone(ledger: Ledger) -> None:
    first = await ledger.parameters.save(DEPLOYMENT, {"threshold": 0.3, "decay": 0.5}, actor="admin", at=1)
    second = await ledger.parameters.save(ALICE, {"threshold": 0.4}, actor="alice", at=2)
    assert await ledger.parameters.effective("alice") == ({"threshold": 0.4, "decay": 0.5}, second)
    assert await ledger.parameters.effective("bob") == ({"threshold": 0.3, "decay": 0.5}, first)

    third = await ledger.parameters.save(DEPLOYMENT, {"threshold": 0.2, "decay": 0.6}, actor="admin", at=3)
    assert await ledger.parameters.effective("alice") == ({"threshold": 0.4, "decay": 0.6}, third)
    assert await ledger.parameters.effective("bob") == ({"threshold": 0.2, "decay": 0.6}, third)
    assert first < second < third

    fourth = await ledger.parameters.save(ALICE, {}, actor="alice", at=4)
    assert await ledger.parameters.effective("alice") == ({"threshold": 0.2, "decay": 0.6}, fourth)


async def test_what_was_in_force_with_a_version_can_be_asked_for_ever_after(ledger: Ledger) -> None:
    first = await ledger.parameters.save(DEPLOYMENT, {"decay": 0.4}, actor="admin", at=1)
    second = await ledger.parameters.save(ALICE, {"threshold": 0.4}, actor="alice", at=2)
    of_bob = await ledger.parameters.save(ParameterScope("bob"), {"decay": 0.6}, actor="bob", at=3)
    third = await ledger.parameters.save(DEPLOYMENT, {"decay": 0.7}, actor="admin", at=4)
    parameters = EffectiveParameters(ledger)
    for version, decay, threshold in ((first, 0.4, 0.3), (second, 0.4, 0.4), (third, 0.7, 0.4)):
        found = await parameters.of_version("alice", version)
        assert found is not None
        assert (found.version, found.values.decay, found.values.threshold) == (version, decay, threshold)
    assert await parameters.of_version("alice", of_bob) is None
    assert await parameters.of_version("alice", third + 1) is None
    built_in = await parameters.of_version("alice", 0)
    assert built_in is not None
    assert built_in.values == DecayParameters.balanced()


async def test_every_version_of_a_scope_stays_in_its_history(ledger: Ledger) -> None:
    first = await ledger.parameters.save(DEPLOYMENT, {"decay": 0.5}, actor="admin", at=1)
    await ledger.parameters.save(ALICE, {"decay": 0.9}, actor="alice", at=2)
    second = await ledger.parameters.save(DEPLOYMENT, {"decay": 0.1, "schedule": "0 3 * * *"}, actor="root", at=3)
    assert await ledger.parameters.history(DEPLOYMENT) == [
        ParameterVersion(
            version=second, scope=DEPLOYMENT, values={"decay": 0.1, "schedule": "0 3 * * *"}, actor="root", at=3
        ),
        ParameterVersion(version=first, scope=DEPLOYMENT, values={"decay": 0.5}, actor="admin", at=1),
    ]
    assert [version.values for version in await ledger.parameters.history(ALICE)] == [{"decay": 0.9}]


async def test_an_older_versions_values_can_be_put_back_in_force(ledger: Ledger) -> None:
    await ledger.parameters.save(DEPLOYMENT, {"decay": 0.5}, actor="admin", at=1)
    await ledger.parameters.save(DEPLOYMENT, {"decay": 0.1}, actor="admin", at=2)
    oldest = (await ledger.parameters.history(DEPLOYMENT))[-1]
    version = await ledger.parameters.save(DEPLOYMENT, oldest.values, actor="admin", at=3)
    assert await ledger.parameters.effective("alice") == ({"decay": 0.5}, version)
    assert len(await ledger.parameters.history(DEPLOYMENT)) == 3


async def test_values_come_back_equal(ledger: Ledger) -> None:
    values = {"rate": 0.005, "third": 1 / 3, "tiny": 5e-324, "whole": 30, "none": None, "name": "忘却 \\ \" '"}
    await ledger.parameters.save(DEPLOYMENT, values, actor="admin", at=1)
    found = await ledger.parameters.effective("alice")
    assert found is not None
    assert found[0] == values


async def test_versions_saved_at_once_are_all_kept_and_all_different(ledger: Ledger, replica: Ledger) -> None:
    saves = [
        worker.parameters.save(scope, {"n": number}, actor="admin", at=number)
        for number, (worker, scope) in enumerate([(ledger, DEPLOYMENT), (replica, ALICE)] * 10)
    ]
    versions = await asyncio.gather(*saves)
    assert sorted(versions) == list(range(1, 21)), "no number is used twice and none is left out"
    assert len(await ledger.parameters.history(DEPLOYMENT)) == 10
    assert len(await ledger.parameters.history(ALICE)) == 10
