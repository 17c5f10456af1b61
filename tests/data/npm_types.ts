// Compiled, never run: checks the npm package's type declarations.

import { RecallKitClient, RecallKitError, type Submission } from "@recall-kit/mcp-client";

export async function share(): Promise<string> {
  await using client = new RecallKitClient({
    serverUrl: "mcp://recall-kit-server",
    configPath: "./recall-kit-client.config.json",
    confirm: ({ preview }) => (preview.length > 0 ? "confirm" : { title: "another" }),
  });
  const { found, experiences } = await client.query({ keywords: "React useState not updating" });
  if (found) return experiences.map((experience) => `${experience.relevance} ${experience.code ?? ""}`).join();
  const submission: Submission = await client.submitExperience({ title: "t", problem_description: "p", solution: "s" });
  // @ts-expect-error: a waiting experience has no id
  if (submission.status === "waiting") return submission.id;
  // @ts-expect-error: a solution is required
  await client.submitExperience({ title: "t", problem_description: "p" });
  try {
    return submission.status === "stored" ? submission.id : submission.message;
  } catch (error) {
    return error instanceof RecallKitError ? error.code : "";
  }
}
