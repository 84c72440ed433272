"""The tools that list and sign what is offered for download. The files are samples, no programs."""

from __future__ import annotations

import hashlib
import json
import shutil
import struct
import subprocess
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from tools.release import manifest
from tools.release.build import BuildError, environment, remapped
from tools.release.elf import NotElfError, read_elf
from tools.release.native import built_probe
from tools.release.sign import load, sign

NAME = "diskatlas-x86_64-unknown-linux-musl"


def sample_elf(*, interpreter: str = "", needed: tuple[str, ...] = (), machine: int = 0x3E) -> bytes:
    """A file with the headers that the reader looks at, and nothing to run."""
    strings = b"\0" + b"".join(name.encode() + b"\0" for name in needed)
    at = 0x200
    dynamic = b"".join(struct.pack("<qQ", 1, strings.index(name.encode())) for name in needed)
    dynamic += struct.pack("<qQ", 5, at) + struct.pack("<qQ", 0, 0)
    loader = interpreter.encode() + b"\0"
    parts = [(1, 0, 0, 0x400), (2, 0x300, 0x300, len(dynamic))]
    parts += [(3, 0x380, 0x380, len(loader))] if interpreter else []
    table = b"".join(struct.pack("<IIQQQQQQ", kind, 4, o, a, a, s, s, 8) for kind, o, a, s in parts)
    ident = b"\x7fELF\x02\x01\x01" + bytes(9)
    header = ident + struct.pack("<HHIQQQIHHH", 3, machine, 1, 0, 64, 0, 0, 64, 56, len(parts))
    data = bytearray(0x400)
    for offset, part in ((0, header), (64, table), (at, strings), (0x300, dynamic), (0x380, loader)):
        data[offset : offset + len(part)] = part
    return bytes(data)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A download folder with an unsigned manifest of a clean tree."""
    (tmp_path / NAME).write_bytes(sample_elf())
    (tmp_path / "diskatlas.1").write_text("a sample page")
    content = manifest.write(tmp_path)
    content["tree"] = "clean"
    (tmp_path / manifest.MANIFEST).write_text(json.dumps(content))
    return tmp_path


@pytest.fixture
def key(tmp_path: Path) -> Path:
    """A key made for one test."""
    pem = Ed25519PrivateKey.generate().private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path = tmp_path / "secret.pem"
    path.write_bytes(pem)
    path.chmod(0o600)
    return path


def test_a_file_without_loader_and_libraries_is_static() -> None:
    assert read_elf(sample_elf()).static
    assert read_elf(sample_elf(machine=0xB7)).machine == "aarch64"


def test_a_loader_or_a_library_makes_a_file_dynamic() -> None:
    needing = read_elf(sample_elf(needed=("libc.so.6", "libm.so.6")))
    assert needing.needed == ("libc.so.6", "libm.so.6")
    assert not needing.static
    loaded = read_elf(sample_elf(interpreter="/lib64/ld-linux-x86-64.so.2"))
    assert loaded.interpreter == "/lib64/ld-linux-x86-64.so.2"
    assert not loaded.static


def test_the_machines_own_shell_is_seen_as_the_dynamic_program_it_is() -> None:
    shell = read_elf(Path("/bin/sh").resolve().read_bytes())
    assert "ld-" in shell.interpreter
    assert any(name.startswith("libc.") for name in shell.needed)


def test_what_is_no_elf_file_is_refused() -> None:
    for data in (b"", b"#!/bin/sh\n", b"\x7fELF\x01\x01" + bytes(80)):
        with pytest.raises(NotElfError):
            read_elf(data)


def test_the_manifest_lists_each_file_with_target_size_and_digest(folder: Path) -> None:
    content = json.loads((folder / manifest.MANIFEST).read_text())
    binary, page = content["files"]
    data = (folder / NAME).read_bytes()
    assert binary == {
        "name": NAME,
        "target": "x86_64-unknown-linux-musl",
        "static": True,
        "size_bytes": len(data),
        "sha256": hashlib.sha256(data).hexdigest(),
    }
    assert (page["name"], page["target"], page["static"]) == ("diskatlas.1", None, None)
    assert content["public_key"] is None
    assert len(content["commit"]) == 40
    assert content["version"] == manifest.version()


def test_a_manifest_says_that_a_dynamic_binary_is_one(tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(sample_elf(needed=("libc.so.6",)))
    assert manifest.write(tmp_path)["files"][0]["static"] is False


def test_a_manifest_holds_no_time_and_no_place(folder: Path) -> None:
    before = (folder / manifest.MANIFEST).read_text()
    assert str(folder) not in before
    content = manifest.write(folder)
    assert content["files"] == json.loads(before)["files"]


def test_sha256sum_checks_the_list_of_digests(folder: Path) -> None:
    command = ["sha256sum", "--check", manifest.CHECKSUMS]
    assert subprocess.run(command, cwd=folder, check=False).returncode == 0
    (folder / NAME).write_bytes(b"other")
    assert subprocess.run(command, cwd=folder, check=False).returncode == 1


def test_openssl_accepts_the_signature_and_finds_a_change(folder: Path, key: Path) -> None:
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    sign(folder, load(key))
    words = ["openssl", "pkeyutl", "-verify", "-pubin", "-inkey", manifest.PUBLIC_KEY, "-rawin"]
    words += ["-in", manifest.MANIFEST, "-sigfile", manifest.SIGNATURE]
    assert subprocess.run(words, cwd=folder, check=False).returncode == 0
    path = folder / manifest.MANIFEST
    path.write_bytes(path.read_bytes() + b" ")
    assert subprocess.run(words, cwd=folder, check=False).returncode != 0


def test_a_signed_manifest_names_its_key(folder: Path, key: Path) -> None:
    public = sign(folder, load(key))
    assert public.startswith("ed25519:")
    assert json.loads((folder / manifest.MANIFEST).read_text())["public_key"] == public
    assert len((folder / manifest.SIGNATURE).read_bytes()) == 64


def test_a_new_build_takes_the_old_signature_away(folder: Path, key: Path) -> None:
    sign(folder, load(key))
    manifest.write(folder)
    assert not (folder / manifest.SIGNATURE).exists()
    assert not (folder / manifest.PUBLIC_KEY).exists()


def test_files_that_are_not_the_listed_ones_are_not_signed(folder: Path, key: Path) -> None:
    (folder / NAME).write_bytes(sample_elf() + b"x")
    with pytest.raises(BuildError, match=f"{NAME} is not what"):
        sign(folder, load(key))


def test_a_tree_with_changes_that_no_commit_holds_is_not_signed(folder: Path, key: Path) -> None:
    path = folder / manifest.MANIFEST
    path.write_text(json.dumps(json.loads(path.read_text()) | {"tree": "changed"}))
    with pytest.raises(BuildError, match="commit what is to be released"):
        sign(folder, load(key))
    assert not (folder / manifest.SIGNATURE).exists()


def test_a_key_that_others_can_read_is_refused(key: Path) -> None:
    key.chmod(0o644)
    with pytest.raises(BuildError, match="chmod 600"):
        load(key)


def test_a_key_that_is_none_is_refused_with_how_to_make_one(tmp_path: Path) -> None:
    path = tmp_path / "key"
    with pytest.raises(BuildError, match="openssl genpkey -algorithm ed25519"):
        load(path)
    path.write_text("nothing")
    with pytest.raises(BuildError, match="openssl genpkey -algorithm ed25519"):
        load(path)


def test_no_folder_of_the_machine_keeps_its_name_in_the_binary(tmp_path: Path) -> None:
    (tmp_path / "cargo/registry/src/mirror-0123").mkdir(parents=True)
    environ = {"CARGO_HOME": str(tmp_path / "cargo"), "RUSTFLAGS": "-Ctarget-cpu=native", "CFLAGS_x": "-O0"}
    folders = dict(remapped(tmp_path / "source", environ))
    assert folders[tmp_path / "source"] == "/diskatlas"
    assert folders[tmp_path / "cargo/registry/src/mirror-0123"] == "/crates"
    built_in = environment(tmp_path / "source", environ)
    assert f"--remap-path-prefix={tmp_path / 'source'}=/diskatlas" in built_in["CARGO_ENCODED_RUSTFLAGS"]
    assert not {"RUSTFLAGS", "CFLAGS_x"} & built_in.keys()


def test_the_probe_that_is_taken_is_the_one_for_this_machine_and_static_where_there_is_one(
    tmp_path: Path,
) -> None:
    def taken(machine: str, **environ: str) -> str | None:
        path = built_probe(tmp_path, machine=machine, environ=environ)
        return path and path.name

    assert taken("aarch64") is None
    for target in ("aarch64-unknown-linux-musl", "x86_64-unknown-linux-gnu", "x86_64-unknown-linux-musl"):
        (tmp_path / f"diskatlas-{target}").touch()
    assert taken("aarch64") == "diskatlas-aarch64-unknown-linux-musl"
    assert taken("x86_64") == "diskatlas-x86_64-unknown-linux-musl"
    assert taken("riscv64") is None
    named = tmp_path / "diskatlas-aarch64-unknown-linux-musl"
    assert taken("x86_64", DISKATLAS_PROBE=str(named)) == named.name
    assert taken("x86_64", DISKATLAS_PROBE=str(tmp_path / "gone")) is None
