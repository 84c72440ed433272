// Verifies proofs of the publication log with @transmute/rfc9162: JSON in, one true or false for each proof out.
const log = require("@transmute/rfc9162").default;

const bytes = (text) => new Uint8Array(Buffer.from(text, "base64"));
const powerOf2 = (size) => (size & (size - 1)) === 0;

async function inclusion({ root, leaf_hash, size, index, path }) {
  const proof = { log_id: "", tree_size: size, leaf_index: index, inclusion_path: path.map(bytes) };
  return log.verifyInclusionProof(bytes(root), bytes(leaf_hash), proof);
}

async function consistency({ first, first_root, second, second_root, path }) {
  // RFC 9162, 2.1.4.2, step 2, which the library leaves to who calls it.
  const whole = (powerOf2(first) ? [first_root, ...path] : path).map(bytes);
  const proof = { log_id: "", tree_size_1: first, tree_size_2: second, consistency_path: whole };
  return log.verifyConsistencyProof(bytes(first_root), bytes(second_root), proof);
}

async function main() {
  const asked = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
  const verify = async (proof) => ("leaf_hash" in proof ? inclusion(proof) : consistency(proof));
  process.stdout.write(JSON.stringify(await Promise.all(asked.map(verify))));
}

main();
