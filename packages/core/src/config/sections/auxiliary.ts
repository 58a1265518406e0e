import { section, text, whole } from '../values.ts'

const task = (what: string, timeout: number) => section(side(timeout)).describe(what)

const side = (timeout: number) => ({
  provider: text('auto').describe('Provider: auto, main, openrouter, nous, codex, gemini, custom …'),
  model: text().describe("Model; the provider's default when empty."),
  base_url: text().describe('Endpoint; goes before provider.'),
  api_key: text().describe('Key of that endpoint.'),
  timeout: whole(timeout, { min: 1 }).describe('Seconds that a call gets.'),
})

/** The models for side tasks. */
export const auxiliarySettings = {
  auxiliary: section({
    vision: section({
      ...side(120),
      download_timeout: whole(30, { min: 1 }).describe('Seconds that fetching an image gets.'),
    }).describe('Looking at images.'),
    web_extract: task('Summarising web pages.', 360),
    compression: task('Compaction.', 120),
    session_search: task('Summarising found sessions.', 30),
    skills_hub: task('Looking through skills.', 30),
    approval: task('Judging commands when approvals.mode is smart.', 30),
    mcp: task('Requests of MCP servers for a model.', 30),
    flush_memories: task('Saving memories before they are compacted away.', 30),
    title_generation: task('Naming sessions.', 30),
  }).describe('Models for side tasks.'),
}
