//! Merkle tree proofs as RFC 6962 defines them (section 2.1), checked as RFC 9162 writes down. Our own: the
//! crate made for it, `ct-merkle`, says of itself that nobody has audited it, and these are two loops of the RFC.

use sha2::{Digest, Sha256};

pub type Hash = [u8; 32];

/// SHA-256 of 0x00 and the entry.
pub fn leaf_hash(entry: &[u8]) -> Hash {
    Sha256::new().chain_update([0]).chain_update(entry).finalize().into()
}

fn node_hash(left: &Hash, right: &Hash) -> Hash {
    Sha256::new().chain_update([1]).chain_update(left).chain_update(right).finalize().into()
}

/// Whether `proof` leads from leaf number `index` to the root over `size` leaves (RFC 9162, 2.1.3.2).
pub fn is_included(index: u64, size: u64, leaf: &Hash, proof: &[Hash], root: &Hash) -> bool {
    if index >= size {
        return false;
    }
    let (mut node, mut last, mut hash) = (index, size - 1, *leaf);
    for sibling in proof {
        if last == 0 {
            return false;
        }
        if node & 1 == 1 || node == last {
            hash = node_hash(sibling, &hash);
            climb(&mut node, &mut last);
        } else {
            hash = node_hash(&hash, sibling);
        }
        node >>= 1;
        last >>= 1;
    }
    last == 0 && hash == *root
}

/// Whether the tree of `first` leaves begins that of `second` (RFC 9162, 2.1.4.2).
pub fn is_consistent(first: u64, second: u64, first_root: &Hash, second_root: &Hash, proof: &[Hash]) -> bool {
    if first == 0 || first == second {
        let empty: Hash = Sha256::digest([]).into();
        return proof.is_empty() && if first == 0 { *first_root == empty } else { first_root == second_root };
    }
    let (start, rest) = if first.is_power_of_two() {
        (*first_root, proof)
    } else {
        match proof.split_first() {
            Some((start, rest)) => (*start, rest),
            None => return false,
        }
    };
    if first > second || proof.is_empty() {
        return false;
    }
    let (mut node, mut last) = (first - 1, second - 1);
    while node & 1 == 1 {
        node >>= 1;
        last >>= 1;
    }
    let (mut old, mut new) = (start, start);
    for sibling in rest {
        if last == 0 {
            return false;
        }
        if node & 1 == 1 || node == last {
            old = node_hash(sibling, &old);
            new = node_hash(sibling, &new);
            climb(&mut node, &mut last);
        } else {
            new = node_hash(&new, sibling);
        }
        node >>= 1;
        last >>= 1;
    }
    last == 0 && old == *first_root && new == *second_root
}

/// Up the right edge, past the levels at which a node has no sibling.
fn climb(node: &mut u64, last: &mut u64) {
    while *node & 1 == 0 && *node != 0 {
        *node >>= 1;
        *last >>= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition, word for word.
    fn root(leaves: &[Hash]) -> Hash {
        match leaves.len() {
            0 => Sha256::digest([]).into(),
            1 => leaves[0],
            count => {
                let half = split(count);
                node_hash(&root(&leaves[..half]), &root(&leaves[half..]))
            }
        }
    }

    fn split(count: usize) -> usize {
        count.next_power_of_two() / 2
    }

    fn inclusion(index: usize, leaves: &[Hash]) -> Vec<Hash> {
        if leaves.len() <= 1 {
            return Vec::new();
        }
        let half = split(leaves.len());
        let (mut path, other) = if index < half {
            (inclusion(index, &leaves[..half]), root(&leaves[half..]))
        } else {
            (inclusion(index - half, &leaves[half..]), root(&leaves[..half]))
        };
        path.push(other);
        path
    }

    fn consistency(first: usize, leaves: &[Hash], whole: bool) -> Vec<Hash> {
        if first == leaves.len() {
            return if whole { Vec::new() } else { vec![root(leaves)] };
        }
        let half = split(leaves.len());
        let (mut path, other) = if first <= half {
            (consistency(first, &leaves[..half], whole), root(&leaves[half..]))
        } else {
            (consistency(first - half, &leaves[half..], false), root(&leaves[..half]))
        };
        path.push(other);
        path
    }

    #[test]
    fn the_root_of_the_published_leaves_is_the_published_one() {
        // The leaves by which implementations of Certificate Transparency check themselves (transparency-dev/merkle).
        let leaves: [&[u8]; 8] = [
            b"",
            b"\x00",
            b"\x10",
            b"\x20\x21",
            b"\x30\x31",
            b"\x40\x41\x42\x43",
            b"\x50\x51\x52\x53\x54\x55\x56\x57",
            b"\x60\x61\x62\x63\x64\x65\x66\x67\x68\x69\x6a\x6b\x6c\x6d\x6e\x6f",
        ];
        let hashes: Vec<_> = leaves.iter().map(|leaf| leaf_hash(leaf)).collect();
        let expected = "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328";
        assert_eq!(crate::report::keys::hex(&root(&hashes)), expected);
    }

    #[test]
    fn every_true_proof_holds_and_no_false_one_does() {
        let leaves: Vec<_> = (0..40_u8).map(|number| leaf_hash(&[number])).collect();
        for size in 1..=leaves.len() {
            let (all, top) = (&leaves[..size], root(&leaves[..size]));
            for index in 0..size {
                let proof = inclusion(index, all);
                let (at, of) = (index as u64, size as u64);
                assert!(is_included(at, of, &leaves[index], &proof, &top));
                assert!(!is_included(at, of, &leaf_hash(b"other"), &proof, &top));
                assert!(!is_included(at, of + 64, &leaves[index], &proof, &top));
                let (first, old) = (index + 1, root(&leaves[..=index]));
                let proof = consistency(first, all, true);
                assert!(is_consistent(first as u64, of, &old, &top, &proof));
                assert!(!is_consistent(first as u64, of, &leaf_hash(b"other"), &top, &proof));
            }
        }
    }
}
