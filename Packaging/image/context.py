"""The build context of COPY: a directory without the files that its .dockerignore excludes."""

import hashlib
import os
import re
import shutil
import stat


def expression(pattern):
    """Returns a pattern of .dockerignore as a regular expression for paths. Everything below a match is excluded too."""
    parts = []
    for piece in re.split(r"(\*\*/|\*\*|\*|\?|\[[^]]+\])", pattern.strip("/")):
        known = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
        parts.append(piece if piece.startswith("[") else known.get(piece, re.escape(piece)))
    return re.compile("".join(parts) + "(?:/.*)?")


class Context:
    """A directory to copy from.

    Copied files belong to root, as with Docker.
    """

    def __init__(self, folder, ignored=""):
        self.folder = folder
        lines = [line.strip() for line in ignored.splitlines()]
        self.rules = [
            (not line.startswith("!"), expression(line.lstrip("!"))) for line in lines if line and line[0] != "#"
        ]

    def leaves_out(self, path):
        # The last matching rule counts.
        for leaves_out, rule in reversed(self.rules):
            if rule.fullmatch(path):
                return leaves_out
        return False

    def files(self, source):
        """Returns the files of a source, as paths in the directory and below the source; None if it doesn't exist."""
        source = os.path.normpath(source.strip("/") or ".")
        top = os.path.join(self.folder, source)
        if not os.path.lexists(top) or (source != "." and self.leaves_out(source)):
            return None
        if not os.path.isdir(top) or os.path.islink(top):
            return [(source, None)]
        found = []
        for folder, folders, names in os.walk(top):
            folders.sort()
            for name in sorted(names) + [name for name in folders if os.path.islink(os.path.join(folder, name))]:
                path = os.path.normpath(os.path.relpath(os.path.join(folder, name), self.folder))
                if not self.leaves_out(path):
                    found.append((path, os.path.relpath(os.path.join(self.folder, path), top)))
        return found

    def digest(self, sources):
        """Returns a digest of names, modes and contents, without times."""
        digest = hashlib.sha256()
        for source in sources:
            for path, _ in self.files(source) or []:
                whole = os.path.join(self.folder, path)
                status = os.lstat(whole)
                digest.update(f"{path}\0{status.st_mode}\0".encode())
                if stat.S_ISLNK(status.st_mode):
                    digest.update(os.readlink(whole).encode())
                else:
                    with open(whole, "rb") as file:
                        digest.update(hashlib.file_digest(file, "sha256").digest())
        return digest.hexdigest()

    def copy(self, sources, destination, root):
        """Copies sources below a root. A destination that ends with a slash is a directory."""
        into = destination.endswith("/") or len(sources) > 1
        target = os.path.join(root, destination.strip("/"))
        for source in sources:
            files = self.files(source)
            if files is None:
                raise FileNotFoundError(f"{source} isn't in {self.folder}, or is excluded by .dockerignore")
            for path, below in files:
                if below is not None:
                    to = os.path.join(target, below)
                elif into or os.path.isdir(target):
                    to = os.path.join(target, os.path.basename(path))
                else:
                    to = target
                os.makedirs(os.path.dirname(to), exist_ok=True)
                shutil.copy2(os.path.join(self.folder, path), to, follow_symlinks=False)
                os.chown(to, 0, 0, follow_symlinks=False)
