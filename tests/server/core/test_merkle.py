"""Merkle trees against published vectors, and against the definition written down naively."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import pytest

from server.core.merkle import (
    EMPTY_ROOT,
    NodeIndex,
    appended_nodes,
    consistency_proof,
    inclusion_proof,
    leaf_hash,
    node_hash,
    tree_root,
)
from tests.support.log_verifier import consistency_holds, inclusion_holds

# The leaves, roots and proofs by which implementations of Certificate Transparency check themselves
# (transparency-dev/merkle, testonly/constants.go and proof/proof_test.go).
LEAVES = [bytes.fromhex(text) for text in ("", "00", "10", "2021", "3031", "40414243", "5051525354555657")]
LEAVES.append(bytes.fromhex("606162636465666768696a6b6c6d6e6f"))
ROOTS = [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]
INCLUSION = {
    (0, 8): [
        "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
    ],
    (5, 8): [
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
        "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ],
}
CONSISTENCY = {
    (6, 8): [
        "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
        "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ],
    (2, 5): [
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
    ],
}
MOST = 130


class Tree:
    """Stored subtrees, as the database holds them."""

    def __init__(self, leaves: Sequence[bytes]) -> None:
        self.nodes: dict[NodeIndex, bytes] = {}
        for index, leaf in enumerate(leaves):
            self.nodes.update(appended_nodes(index, leaf_hash(leaf), self.lookup))

    def lookup(self, places: Sequence[NodeIndex]) -> dict[NodeIndex, bytes]:
        return {place: self.nodes[place] for place in places}


def naive_root(leaves: Sequence[bytes]) -> bytes:
    """The definition of RFC 6962, 2.1, word for word."""
    if not leaves:
        return hashlib.sha256(b"").digest()
    if len(leaves) == 1:
        return hashlib.sha256(b"\0" + leaves[0]).digest()
    half = 1
    while half * 2 < len(leaves):
        half *= 2
    return hashlib.sha256(b"\1" + naive_root(leaves[:half]) + naive_root(leaves[half:])).digest()


@pytest.fixture(scope="module")
def many() -> tuple[list[bytes], Tree, list[bytes]]:
    leaves = [bytes([number, number // 7]) for number in range(MOST)]
    tree = Tree(leaves)
    return leaves, tree, [naive_root(leaves[:size]) for size in range(MOST + 1)]


@pytest.mark.parametrize("size", range(9))
def test_roots_are_the_published_ones(size: int) -> None:
    assert tree_root(size, Tree(LEAVES[:size]).lookup).hex() == ROOTS[size]


def test_proofs_are_the_published_ones() -> None:
    tree = Tree(LEAVES)
    for (index, size), expected in INCLUSION.items():
        assert [part.hex() for part in inclusion_proof(index, size, tree.lookup)] == expected
    for (first, second), expected in CONSISTENCY.items():
        assert [part.hex() for part in consistency_proof(first, second, tree.lookup)] == expected


def test_every_root_is_that_of_the_definition(many: tuple[list[bytes], Tree, list[bytes]]) -> None:
    _leaves, tree, roots = many
    assert [tree_root(size, tree.lookup) for size in range(MOST + 1)] == roots


def test_every_leaf_is_proved_in_every_size_and_no_other_leaf_is(
    many: tuple[list[bytes], Tree, list[bytes]],
) -> None:
    leaves, tree, roots = many
    for size in range(1, MOST + 1):
        for index in range(size):
            proof = inclusion_proof(index, size, tree.lookup)
            hashed = leaf_hash(leaves[index])
            assert inclusion_holds(index, size, hashed, proof, roots[size])
            assert not inclusion_holds(index, size, leaf_hash(b"other"), proof, roots[size])
            assert not inclusion_holds((index + 1) % size, size, hashed, proof, roots[size]) or size == 1


def test_every_size_is_proved_to_be_the_beginning_of_every_later_one(
    many: tuple[list[bytes], Tree, list[bytes]],
) -> None:
    _leaves, tree, roots = many
    for second in range(MOST + 1):
        for first in range(second + 1):
            proof = consistency_proof(first, second, tree.lookup)
            assert consistency_holds(first, second, roots[first], roots[second], proof)
            if 0 < first < second:
                assert not consistency_holds(first, second, roots[first - 1], roots[second], proof)
                assert not consistency_holds(first, second, roots[first], roots[second - 1], proof)
                assert not consistency_holds(first, second, roots[first], roots[second], proof[:-1])
                assert not consistency_holds(first, second, roots[first], roots[second], [*proof, roots[1]])


def test_a_changed_leaf_breaks_consistency_with_what_was_seen_before(
    many: tuple[list[bytes], Tree, list[bytes]],
) -> None:
    leaves, _tree, roots = many
    forged = Tree([leaves[0], b"another", *leaves[2:]])
    root = tree_root(MOST, forged.lookup)
    for first in (2, 64, 100):
        proof = consistency_proof(first, MOST, forged.lookup)
        assert not consistency_holds(first, MOST, roots[first], root, proof)


def test_leaves_and_nodes_never_hash_alike() -> None:
    left, right = leaf_hash(b"a"), leaf_hash(b"b")
    assert leaf_hash(left + right) != node_hash(left, right)


def test_what_no_tree_has_is_refused() -> None:
    tree = Tree(LEAVES)
    with pytest.raises(ValueError, match="no leaf 8 among 8"):
        inclusion_proof(8, 8, tree.lookup)
    with pytest.raises(ValueError, match="can't be the beginning"):
        consistency_proof(9, 8, tree.lookup)
    assert tree_root(0, tree.lookup) == EMPTY_ROOT
    assert not inclusion_holds(8, 8, leaf_hash(b""), [], EMPTY_ROOT)
