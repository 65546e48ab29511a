"""Files that scripts write."""

import os
import tempfile


def write_whole(path, text):
    """A file is there as a whole or not at all."""
    part = None
    try:
        with tempfile.NamedTemporaryFile("w", dir=path.parent, prefix=f".{path.name}.", delete=False,
                                         encoding="utf-8") as file:
            part = file.name
            file.write(text)
        os.chmod(part, 0o644)
        os.replace(part, path)
        part = None
    except OSError as fault:
        raise OSError(fault.errno, fault.strerror, str(path)) from None
    finally:
        if part is not None:
            os.unlink(part)
