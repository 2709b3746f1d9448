from __future__ import annotations

import yaml
from rollstep.core.formats.trl import card


def front(text: str) -> object:
    _, matter, _ = text.split("---\n", 2)
    return yaml.safe_load(matter)


def test_the_card_declares_the_columns_as_json_lists_and_the_splits() -> None:
    text = card(
        "Refunds",
        columns=("prompt", "completion", "tools", "rollstep_rating", "chat_template_kwargs"),
        files={"train": "rows.jsonl", "test": "rows.test.jsonl"},
        rows={"train": 90, "test": 10},
        words=("Exported from 12 rollouts.",),
    )
    assert front(text) == {
        "dataset_info": {
            "features": [
                {"name": "prompt", "list": "json"},
                {"name": "completion", "list": "json"},
                {"name": "tools", "list": "json"},
                {"name": "rollstep_rating", "dtype": "int64"},
                {"name": "chat_template_kwargs", "dtype": "json"},
            ]
        },
        "configs": [
            {
                "config_name": "default",
                "data_files": [
                    {"split": "train", "path": "rows.jsonl"},
                    {"split": "test", "path": "rows.test.jsonl"},
                ],
            }
        ],
    }
    assert "# Refunds" in text
    assert "Rows: train: 90, test: 10." in text
    assert "- Exported from 12 rollouts." in text
    assert "- `rollstep_rating`: 1 to 5, or 0 where nobody rated it" in text
    assert "No licence is stated here" in text
    assert "license:" not in text


def test_names_that_yaml_takes_for_something_else_are_quoted() -> None:
    text = card(columns=("messages", "no", "a: b", "1e3"), files={"train": "my rows #1.jsonl"})
    value = front(text)
    assert isinstance(value, dict)
    assert [each["name"] for each in value["dataset_info"]["features"]] == [
        *("messages", "no", "a: b", "1e3"),
    ]
    assert value["configs"][0]["data_files"][0]["path"] == "my rows #1.jsonl"
