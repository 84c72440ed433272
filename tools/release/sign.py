"""Signs the manifest with the operator's key, which comes from a file that the operator names."""

from __future__ import annotations

import base64
import json
import stat
from pathlib import Path

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from tools.release.build import BuildError
from tools.release.manifest import MANIFEST, PUBLIC_KEY, SIGNATURE, entry

KEY_VARIABLE = "DISKATLAS_RELEASE_KEY"
MAKE_ONE = "openssl genpkey -algorithm ed25519 -out release-secret.pem"


def load(path: Path) -> Ed25519PrivateKey:
    """Read an ed25519 key in PEM, as OpenSSL writes it."""
    try:
        mode = path.stat().st_mode
        key = serialization.load_pem_private_key(path.read_bytes(), password=None)
    except OSError as error:
        raise BuildError(f"can't read the key {path}: {error.strerror}; make one with `{MAKE_ONE}`") from None
    except (ValueError, TypeError, UnsupportedAlgorithm):
        raise BuildError(f"{path} holds no unencrypted key in PEM; make one with `{MAKE_ONE}`") from None
    if not isinstance(key, Ed25519PrivateKey):
        raise BuildError(f"{path} holds a key of another kind than ed25519; make one with `{MAKE_ONE}`")
    if stat.S_IMODE(mode) & 0o077:
        raise BuildError(f"others can read the secret key {path}; chmod 600 {path}")
    return key


def sign(folder: Path, key: Ed25519PrivateKey, *, allow_changed: bool = False) -> str:
    """Sign the manifest in `folder` and lay the public key beside it. Return the public key's text form.

    Refused where the files are not those that the manifest lists, and where the tree had changes that no
    commit holds: nobody could build the same bytes then.
    """
    path = folder / MANIFEST
    content = json.loads(path.read_text(encoding="utf-8"))
    if content["tree"] != "clean" and not allow_changed:
        raise BuildError(
            f"the source was {content['tree']}, not clean: commit what is to be released and build again"
        )
    for item in content["files"]:
        if entry(folder / item["name"])["sha256"] != item["sha256"]:
            raise BuildError(f"{item['name']} is not what {MANIFEST} lists; build again")
    public = key.public_key()
    raw = public.public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
    content["public_key"] = f"ed25519:{base64.b64encode(raw).decode()}"
    data = (json.dumps(content, indent=2) + "\n").encode()
    pem = public.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    path.write_bytes(data)
    (folder / SIGNATURE).write_bytes(key.sign(data))
    (folder / PUBLIC_KEY).write_bytes(pem)
    return str(content["public_key"])
