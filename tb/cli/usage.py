"""Command lines of the scripts: bad usage ends with exit status 2 and one line, and who ends them interrupts them."""

import argparse
import math
import signal

ENDS = (signal.SIGTERM, signal.SIGHUP)


class Parser(argparse.ArgumentParser):
    """Has an option --look of its own, for who has to install something before the program can run: look() ends it."""

    def __init__(self, **options):
        super().__init__(formatter_class=argparse.RawDescriptionHelpFormatter, **options)
        self.add_argument("--look", action="store_true", help=argparse.SUPPRESS)

    def error(self, message):  # without the usage
        self.exit(2, f"{self.prog}: {message}\n")

    def look(self, options):
        """All that can be refused at once has been."""
        if options.look:
            self.exit()


def at_least(least, most=math.inf):
    """The type of an option."""

    def number(text):
        if not text.isdecimal() or not least <= int(text) <= most:
            up_to = "" if most == math.inf else f" and at most {most}"
            raise argparse.ArgumentTypeError(f"'{text}' is not a number of at least {least}{up_to}")
        return int(text)

    return number


def interrupt_by_ends():
    """From here on a signal of ENDS is a KeyboardInterrupt; those behind the first are nothing, as timeout sends two, and
    so are those that nohup has made nothing."""

    def interrupt(_number, _frame):
        for number in ENDS:
            signal.signal(number, signal.SIG_IGN)
        raise KeyboardInterrupt

    for number in ENDS:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, interrupt)
