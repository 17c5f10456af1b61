// Uses the npm package as documented. Argument: the server's URL. Prints one JSON object with the results.

import assert from "node:assert/strict";

import { RecallKitClient, RecallKitError } from "@recall-kit/mcp-client";

const [serverUrl] = process.argv.slice(2);
const EXPERIENCE = {
  title: "React useState shows the old value",
  problem_description: "The state is as before right after the setter was called",
  solution: "Pass a function to the setter",
  context: `const apiKey = "${["sk", "proj", "A1b2".repeat(10)].join("-")}";`,
};
const shown = [];
const client = new RecallKitClient({ serverUrl, confirm: ({ preview }) => answers.shift()(preview) });
const answers = [
  (preview) => (shown.push(preview), { title: "React useState is one render behind" }),
  (preview) => (shown.push(preview), "confirm"),
  () => "cancel",
];

const stored = await client.submitExperience(EXPERIENCE);
const cancelled = await client.submitExperience(EXPERIENCE);
const waiting = await client.submitExperience(EXPERIENCE, { confirm: null });
const declined = await client.confirmExperience(waiting.draftId, "cancel");
const [found, same] = await Promise.all([
  client.query({ keywords: "React useState one render behind", limit: 5 }),
  client.query("React useState one render behind"),
]);
assert.deepEqual(found, same);

const refused = await client.query({ keywords: "x", limit: 51 }).catch((error) => error);
assert.ok(refused instanceof RecallKitError, String(refused));
const lost = await new RecallKitClient({ programPath: "/no/such/program" }).query("x").catch((error) => error);
await client.close();
// The program is started again when it is used again.
const again = await client.query("React useState one render behind");
await client.close();
console.log(JSON.stringify({ stored, cancelled, waiting, declined, found, again, shown, refused: refused.message, lost: lost.code }));
