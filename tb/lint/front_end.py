"""The RTL as slang reads it: parsed once, then elaborated with any parameters in a fraction of a second."""

import pyslang
from pyslang import analysis, ast, syntax

# Off, because the RTL means what they warn of:
OFF = {
    "arith-op-mismatch",           # enumerators compared and counted as numbers
    "bitwise-op-mismatch",         # a packed array masked by a vector of its width
    "case-redundant-default",      # lowRISC style wants a default in each unique case
    "implicit-port-type-mismatch", # packed arrays connected as vectors of the same width
    "packed-array-conv",           # the same in assignments
    "shift-count-overflow",        # blocks of one bit, in the smallest sizes
    "sign-compare",                # literals of casts such as 5'd1
    "sign-conversion",             # $clog2 is signed
    "unused-def",                  # modules below another top
    "unused-package-parameter",    # the generated package has all registers
    "unused-package-typedef",
    "unused-parameter",            # each module takes the port's parameters
    "useless-cast",                # a cast that is none at this size
}


class FrontEnd:
    """The sources of a tree. `texts` is a list of (file name, text)."""

    def __init__(self, texts):
        self._manager = pyslang.SourceManager()
        self._trees = [
            syntax.SyntaxTree.fromText(text, self._manager, name=str(name), path=str(name))
            for name, text in texts
        ]

    def findings(self, top, parameters):
        """Of `top` with `parameters`: (where, warning's name or "error", message) of each finding, once."""
        options = ast.CompilationOptions()
        options.topModules = {top}
        options.paramOverrides = [f"{name}={value}" for name, value in parameters.items()]
        compilation = ast.Compilation(pyslang.Bag([options]))
        for tree in self._trees:
            compilation.addSyntaxTree(tree)
        found = list(compilation.getAllDiagnostics())
        # Latches, drivers and unused names are asked for where elaboration found no error.
        engine = pyslang.DiagnosticEngine(self._manager)
        engine.setWarningOptions(["everything"])
        if not any(diagnostic.isError() for diagnostic in found):
            compilation.freeze()
            unused = analysis.AnalysisOptions()
            unused.flags = analysis.AnalysisFlags.CheckUnused
            manager = analysis.AnalysisManager(unused)
            manager.analyze(compilation)
            found += list(manager.getDiagnostics())
        findings = {}
        for diagnostic in found:
            name = engine.getOptionName(diagnostic.code) or "error"
            message = engine.formatMessage(diagnostic)
            if name in OFF or name.startswith("unused") and "'unused_" in message:
                continue
            where = (f"{self._manager.getFileName(diagnostic.location)}:"
                     f"{self._manager.getLineNumber(diagnostic.location)}")
            findings[where, name, message] = None
        return list(findings)
