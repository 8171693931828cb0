// A real OpenID provider for the tests: `node serve.mjs FOLDER`, where FOLDER has node_modules.
// It reads its port, its clients and its keys as JSON from standard input, and prints a line
// once it listens. Its login page takes any name and any password.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const entry = join(process.argv[2], "node_modules", "oidc-provider", "lib", "index.js");
const { default: Provider } = await import(pathToFileURL(entry).href);
const { port, clients, jwks } = JSON.parse(readFileSync(0, "utf8"));

const provider = new Provider(`http://127.0.0.1:${port}`, {
  clients,
  jwks,
  cookies: { keys: ["a key for the tests"] },
  findAccount: (_context, id) => ({
    accountId: id,
    claims: () => ({ sub: id, name: `The name of ${id}`, email: `${id}@example.org` }),
  }),
});
provider.listen(port, "127.0.0.1", () => process.stdout.write("listening\n"));
