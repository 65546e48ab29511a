"""Files that scripts write."""

import os


def write_whole(path, text):
    """A file is there as a whole, with its line ends as they are, or what stood there before stays."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        part.write_text(text, encoding="utf-8", newline="")
        part.replace(path)
    except OSError as fault:
        raise OSError(fault.errno, fault.strerror, str(path)) from None
    finally:
        part.unlink(missing_ok=True)
