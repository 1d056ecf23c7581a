from hypothesis import given
from hypothesis import strategies as st

from memorygraph.writing.contradiction import slot_of
from memorygraph.writing.fingerprint import Fingerprints

KEY = bytes(range(32))


def test_a_value_has_one_fingerprint_in_any_case_spacing_and_unicode_form() -> None:
    prints = Fingerprints(KEY)
    forms = ["I moved to Café Leeds", "i  moved to cafe\u0301 LEEDS.", "I MOVED TO CAFÉ LEEDS"]
    assert len({prints.of_value("u", about="Ana", text=form) for form in forms}) == 1


def test_fingerprints_differ_by_user_by_speaker_by_text_and_by_key() -> None:
    prints = Fingerprints(KEY)
    different = {
        prints.of_value("u", about="Ana", text="I moved to Leeds"),
        prints.of_value("v", about="Ana", text="I moved to Leeds"),
        prints.of_value("u", about="Bob", text="I moved to Leeds"),
        prints.of_value("u", about=None, text="I moved to Leeds"),
        prints.of_value("u", about="Ana", text="I moved to York"),
        Fingerprints(KEY[::-1]).of_value("u", about="Ana", text="I moved to Leeds"),
    }
    assert len(different) == 6
    assert prints.of_value("u", about="Ana", text="I moved to Leeds") in different


@given(st.text("aB _-‐“'.", min_size=1, max_size=6), st.text("aB _-‐“'.", min_size=1, max_size=6))
def test_claims_of_one_slot_and_one_value_have_one_fingerprint_and_no_others(one: str, other: str) -> None:
    prints = Fingerprints(KEY)

    def same(ana: str, bob: str) -> bool:
        return prints.of_claim("u", about=ana, predicate=one, value="tea") == prints.of_claim(
            "u", about=bob, predicate=other, value="Tea."
        )

    assert same("Ana", "“ANA”") == (slot_of("Ana", one) == slot_of("“ANA”", other))
    assert not same("Ana", "Bob")


def test_a_claim_is_known_however_the_words_of_its_predicate_are_joined() -> None:
    prints = Fingerprints(KEY)
    spellings = ["lives in", "lives_in", "Lives-In", " lives  in.", "LIVES‐IN"]
    assert len({prints.of_claim("u", about="Ana", predicate=of, value="Leeds") for of in spellings}) == 1
    assert prints.of_claim("u", about="Ana", predicate="livesin", value="Leeds") != prints.of_claim(
        "u", about="Ana", predicate="lives in", value="Leeds"
    )


def test_the_key_check_tells_keys_apart_and_neither_shows_the_key() -> None:
    assert Fingerprints(KEY).key_check() == Fingerprints(KEY).key_check()
    assert Fingerprints(KEY).key_check() != Fingerprints(KEY[::-1]).key_check()
    assert KEY.hex() not in repr(Fingerprints(KEY))
    assert repr(KEY) not in repr(Fingerprints(KEY))
