"""What the judge says of the golden programs is as written down, and his word reaches everybody who migrates."""

from __future__ import annotations

import pytest

from tests.goldens import Judged, judged_programs, read_text, write_text


@pytest.mark.parametrize("program", judged_programs(), ids=lambda program: program.id)
def test_certificate_is_as_written_down(program: Judged, blessing: bool) -> None:
    if blessing and program.text:
        write_text(program.file, program.text)
    elif blessing:
        program.file.unlink(missing_ok=True)
    assert program.text == (read_text(program.file) if program.file.exists() else "")
