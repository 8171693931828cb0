// A real OpenID provider for the tests: `node serve.mjs FOLDER`, where FOLDER has node_modules.
// It reads its port, its clients and its keys as a line of JSON from standard input, prints a line
// once it listens, and ends with its input. Its login page takes any name and any password.

import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const entry = join(process.argv[2], "node_modules", "oidc-provider", "lib", "index.js");
const { default: Provider } = await import(pathToFileURL(entry).href);
const input = createInterface({ input: process.stdin });
const line = await new Promise((resolve) => input.once("line", resolve));
const { port, clients, jwks } = JSON.parse(line);
input.on("close", () => process.exit());

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
