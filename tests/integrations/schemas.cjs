// Compiles each JSON schema strictly with Ajv and validates its documents: JSON in, what is wrong out.
const Ajv = require("ajv/dist/2020");
const formats = require("ajv-formats");

const asked = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
const wrong = [];
for (const { name, schema, documents } of asked) {
  // Not strict where the schemas say more than Ajv asks: several types at once, and `required` beside `if`.
  const ajv = new Ajv({ strict: true, allowUnionTypes: true, strictRequired: false, allErrors: true });
  formats(ajv);
  try {
    const validate = ajv.compile(schema);
    for (const [place, document] of documents.entries()) {
      if (!validate(document)) wrong.push({ name, place, errors: validate.errors.slice(0, 3) });
    }
  } catch (error) {
    wrong.push({ name, errors: [error.message] });
  }
}
process.stdout.write(JSON.stringify(wrong));
