"""Writes `_abi.py` and `_codes.py` from the C header: layouts, functions and codes are stated there and nowhere else.

python generate.py           writes both
python generate.py --check   tells whether they are as the header has them
"""

import re
import sys
import textwrap
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[3]
HEADER = ROOT / "include" / "mcp_discover.h"
PACKAGE = ROOT / "bindings" / "python" / "src" / "mcp_discover"

CTYPES = {
    "size_t": "c_size_t",
    "int32_t": "c_int32",
    "int64_t": "c_int64",
    "uint64_t": "c_uint64",
    "double": "c_double",
}
FORMATS = {
    "c_size_t": "N",
    "c_int32": "i",
    "c_int64": "q",
    "c_uint64": "Q",
    "c_double": "d",
    "mcpd_str": "PN",
}


class Constant(NamedTuple):
    name: str
    value: int
    about: str


class Code(NamedTuple):
    name: str
    about: str
    constants: list


class Struct(NamedTuple):
    name: str
    fields: list  # pairs of the C type and the name


class Function(NamedTuple):
    name: str
    result: str
    parameters: list  # pairs of the C type and the name


class Header:
    def __init__(self, text):
        self.version = re.search(r"mcp-discover (\S+):", text)[1]
        self.codes, self.structs, self.functions, self.constants = [], [], [], []
        self.opaque = re.findall(r"^typedef struct (mcpd_\w+) \1;", text, re.M)
        declarations = re.compile(
            r"/\*\*(?P<about>(?:(?!\*/).)*?)\*/\s*"
            r"(?:#define (?P<constant>MCPD_\w+) \(?(?P<value>-?\d+)\)?"
            r"|typedef int32_t (?P<code>mcpd_\w+);"
            r"|typedef struct (?P<struct>mcpd_\w+) \{(?P<fields>.*?)\n\} \w+;"
            r"|(?P<result>(?:const )?\w+(?: \*(?:const \*)?)?\s?)(?P<function>mcpd_\w+)\((?P<parameters>[^)]*)\);)",
            re.S,
        )
        for found in declarations.finditer(text):
            about = plain(found["about"])
            if found["code"]:
                self.codes.append(Code(found["code"], about, []))
            elif found["constant"]:
                self._constant(Constant(found["constant"], int(found["value"]), about))
            elif found["struct"]:
                body = re.sub(r"/\*.*?\*/", "", found["fields"], flags=re.S)
                fields = [declaration(part) for part in body.split(";") if part.strip()]
                self.structs.append(Struct(found["struct"], fields))
            else:
                parameters = [declaration(p) for p in found["parameters"].split(",") if p.strip() != "void"]
                self.functions.append(Function(found["function"], found["result"].strip(), parameters))
        self._check_complete(text)

    def _constant(self, constant):
        """Puts a constant with the code type it belongs to: the last one, if the names agree."""
        prefix = self.codes and prefix_of(self.codes[-1], constant)
        if prefix:
            self.codes[-1].constants.append(constant)
        else:
            self.constants.append(constant)

    def _check_complete(self, text):
        """Nothing of the header may be overlooked, however it is written."""
        text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
        told = {
            "#define": (len(re.findall(r"^#define MCPD_\w+ ", text, re.M)), len(self.all_constants())),
            "functions": (len(re.findall(r"\bmcpd_\w+\(", text)), len(self.functions)),
            "structs": (len(re.findall(r"^typedef struct mcpd_\w+ \{", text, re.M)), len(self.structs)),
            "codes": (len(re.findall(r"^typedef int32_t ", text, re.M)), len(self.codes)),
        }
        for what, (there, read) in told.items():
            if there != read:
                raise SystemExit(f"generate: the header has {there} {what}, but {read} were read")

    def all_constants(self):
        return [constant for code in self.codes for constant in code.constants] + self.constants


def prefix_of(code, constant):
    words = code.name.upper().split("_")
    for count in range(len(words), 0, -1):
        prefix = "_".join(words[:count]) + "_"
        if constant.name.startswith(prefix):
            # Once a type has a constant, all of its constants begin alike.
            if all(other.name.startswith(prefix) for other in code.constants):
                return prefix if count > 1 or code.name == "mcpd_status" else None
            return None
    return None


def plain(comment):
    return " ".join(line.strip().lstrip("*").strip() for line in comment.strip().splitlines()).strip()


def declaration(text):
    kind, name = re.fullmatch(r"(.*?)(\w+)", " ".join(text.split()), re.S).groups()
    return kind.strip(), name


def ctype(kind, header):
    """The ctypes type of a C type. Objects of the library are addresses; what the caller fills is typed."""
    codes = {code.name for code in header.codes}
    filled = {struct.name for struct in header.structs if struct.name.endswith("_options")}
    kind = kind.replace("const ", "").replace("unsigned char", "void")
    base, stars = re.fullmatch(r"(\w+)\s*(\**)", kind).groups()
    if not stars:
        if base in codes:
            return "c_int32"
        return "mcpd_str" if base == "mcpd_str" else CTYPES[base]
    if base == "char":
        return {"*": "c_char_p", "**": "POINTER(c_char_p)"}[stars]
    if stars == "*" and base in filled:
        return f"POINTER({base})"
    return "c_void_p"


def parameter_type(kind, header):
    """Outputs are pointers to the address that is given."""
    if "const" not in kind and kind.endswith("**"):
        return "POINTER(c_void_p)"
    if kind.replace(" ", "") == "constchar**":
        return "POINTER(c_char_p)"
    return ctype(kind, header)


def result_type(kind, header):
    if kind == "void":
        return "None"
    return ctype(kind, header)


TOP = '''"""{about}

Written from the C header by tools/generate.py; change it there.
"""
'''


def abi(header):
    out = [TOP.format(about="Layouts, constants and functions of the C library.")]
    out.append("from __future__ import annotations\n")
    out.append("import ctypes")
    names = ["POINTER", "Structure", "c_char_p", "c_double", "c_int32", "c_int64", "c_size_t", "c_uint64", "c_void_p"]
    out.append(f"from ctypes import {', '.join(names)}")
    # The typing module takes longer to load than all of this.
    out.append("\nTYPE_CHECKING = False")
    out.append("if TYPE_CHECKING:")
    out.append("    from collections.abc import Callable")
    out.append("    from typing import Any, Optional")
    out.append(f'\nVERSION = "{header.version}"')
    for constant in header.all_constants():
        out.append(f"{constant.name} = {constant.value}")
    out.append("")
    for struct in header.structs:
        fields = [(ctype(kind, header), kind, name) for kind, name in struct.fields]
        out += ["", f"class {struct.name}(Structure):", "    _fields_ = [  # noqa: RUF012"]
        out += [f'        ("{name}", {made}),' + pointee(made, kind) for made, kind, name in fields]
        out += ["    ]", ""]
    out += ["", "STRUCTS: dict[str, type[Structure]] = {"]
    out += [f'    "{struct.name}": {struct.name},' for struct in header.structs]
    out += ["}", "", "# How the struct module reads what the library fills."]
    for struct in header.structs:
        if struct.name.endswith("_options"):
            continue
        letters = "".join(FORMATS.get(ctype(kind, header), "P") for kind, _ in struct.fields)
        out.append(f'{struct.name}_format = "@{letters}"')
    out += [
        "",
        "",
        "class Functions:",
        '    """The functions of a loaded library, with their types."""',
        "",
        "    def __init__(self, library: ctypes.CDLL) -> None:",
        "        self.library = library",
    ]
    for function in header.functions:
        types = [parameter_type(kind, header) for kind, _ in function.parameters]
        result = result_type(function.result, header)
        python = {"c_int32": "int", "c_char_p": "bytes", "None": "None"}.get(result, "Any")
        out.append(f"        self.{function.name}: Callable[..., {python}] = _bind(")
        out.append(f'            library, "{function.name}", {result}, [{", ".join(types)}]')
        out.append("        )")
    out += [
        "",
        "",
        "def _bind(library: ctypes.CDLL, name: str, result: Optional[type[Any]], parameters: list[Any]) -> Any:",
        "    function = getattr(library, name)",
        "    function.restype = result",
        "    function.argtypes = parameters",
        "    return function",
    ]
    return "\n".join(out) + "\n"


def pointee(made, kind):
    return f"  # {kind}" if made == "c_void_p" else ""


def codes(header):
    out = [TOP.format(about="Codes of the C library, as enumerations.")]
    out.append("from ._code import Code")
    out.append("")
    names = [class_name(code) for code in header.codes]
    out.append(f"__all__ = {sorted(names)!r}".replace("'", '"'))
    for code in header.codes:
        prefix = min((prefix_of(code, c) for c in code.constants), key=len)
        out += ["", "", f"class {class_name(code)}(Code):"]
        out += wrapped(f'"""{code.about}"""', "    ")
        for constant in code.constants:
            name = constant.name[len(prefix) :]
            out.append("")
            out += wrapped(constant.about, "    #: ")
            out.append(f'    {name} = "{name.lower()}", {constant.value}')
    return "\n".join(out) + "\n"


def class_name(code):
    return "".join(word.capitalize() for word in code.name.split("_")[1:])


def wrapped(text, indent):
    return textwrap.wrap(text, 118, initial_indent=indent, subsequent_indent=indent, break_long_words=False)


def main():
    header = Header(HEADER.read_text(encoding="utf-8"))
    files = {PACKAGE / "_abi.py": abi(header), PACKAGE / "_codes.py": codes(header)}
    if sys.argv[1:] == ["--check"]:
        drifted = [path.name for path, text in files.items() if path.read_text(encoding="utf-8") != text]
        if drifted:
            raise SystemExit(f"{', '.join(drifted)}: not what the header says; run tools/generate.py")
        return
    for path, text in files.items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
