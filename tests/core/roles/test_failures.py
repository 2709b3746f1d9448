from rollstep.core.errors import RoleError
from rollstep.core.roles.failures import as_role_error


def test_words_are_cut_whoever_raised_them() -> None:
    """They stand in a status line and are saved with the rollout."""
    long = "x" * 5_000_000
    for raised in (ValueError(long), SystemExit(long), RoleError(long, kind=long)):
        error = as_role_error(raised, "raised an error")
        assert len(str(error)) < 600
        assert str(error).endswith("xxx…")
        assert len(error.kind) < 600
        assert len(error.detail) <= 20_000
