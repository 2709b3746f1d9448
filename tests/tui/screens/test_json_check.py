import pytest
from rollstep.tui.screens.json_check import arguments_fault, parse_strict


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ('{"n": ' + "9" * 5000 + "}", "a number is too long to be checked"),
        ('{"n": -' + "9" * 5000 + "}", "a number is too long to be checked"),
        ("[" * 100_000, "nested too deeply to be checked"),
        ('{"n": NaN}', "NaN"),
        ("", "empty: not JSON"),
    ],
)
def test_what_cannot_be_read_is_a_fault_in_words(text: str, cause: str) -> None:
    value, fault = parse_strict(text)
    assert value is None
    assert fault is not None
    assert cause in fault.words()
    assert arguments_fault(text) == fault


def test_numbers_that_only_look_odd_are_numbers() -> None:
    assert parse_strict("1" * 4000)[1] is None
    assert parse_strict("-0.0")[1] is None
