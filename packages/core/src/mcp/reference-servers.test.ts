import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { findPackageJSON } from 'node:module'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import type { RecordedRequest, ScriptedAnswer } from '@hermes/testing/scripted-model/answer.ts'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'
import { nobody, unanswered } from '../agent/decision.ts'
import type { Decide, DecisionRequest } from '../agent/decision.ts'
import type { NumberedEvent } from '../agent/events.ts'

// The official servers, each used by turns whose model is scripted.

/** How a reference server is started, as a line of `config.yaml`. */
function serverLine(key: string, name: string, ...args: readonly string[]): string {
  const manifest = findPackageJSON(`@modelcontextprotocol/server-${name}`, import.meta.url) ?? ''
  const settings = {
    command: process.execPath,
    args: [join(dirname(manifest), 'dist', 'index.js'), ...args],
    env: { MEMORY_FILE_PATH: '${HOME}/memory.jsonl' },
  }
  return `mcp_servers: {${key}: ${JSON.stringify(settings)}}\ntools: {search: never}`
}

interface Call {
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
}

/** A model that makes these calls one after the other. */
function making(calls: () => readonly Call[]): (request: RecordedRequest) => ScriptedAnswer {
  return ({ body }) => {
    const done = (body.messages ?? []).filter(({ role }) => role === 'tool').length
    const next = calls()[done]
    return next ? { toolCalls: [{ name: next.name, arguments: next.args }] } : { text: 'Done.' }
  }
}

function resultsOf(events: readonly NumberedEvent[]): string[] {
  return events.flatMap((event) => (event.type === 'tool-end' ? [`${event.status} ${event.content}`] : []))
}

interface Turn {
  readonly config: string
  readonly work?: Readonly<Record<string, string>>
  readonly calls: (home: string) => readonly Call[]
  readonly decide?: Decide
  /** What the model says to a server that asks it. */
  readonly answer?: string
}

async function turnWith({ config, work = {}, calls, decide = nobody, answer }: Turn) {
  let home = ''
  const script = making(() => calls(home))
  const isSideCall = (text: string) => answer !== undefined && !text.includes('"tools"')
  await using agent = await startScriptedAgent({
    config,
    work,
    script: (request) => (isSideCall(JSON.stringify(request.body)) ? { text: answer ?? '' } : script(request)),
  })
  home = agent.home.dir
  const face = { name: 'cli', decide }
  const events = await agent.turn('s', 'Go.', { face })
  const written = await readFile(join(agent.work, 'b.txt'), 'utf8').catch(() => '')
  return { results: resultsOf(events), written, events, requests: agent.model.requests }
}

test('a turn reads and writes files through the filesystem server; the person is asked before one is overwritten', async () => {
  const asked: DecisionRequest[] = []
  const decide: Decide = async (request) => {
    asked.push(request)
    return request.kind === 'approval' ? { kind: 'approval', choice: 'once' } : unanswered(request, 'unavailable')
  }
  const { results, written } = await turnWith({
    config: serverLine('files', 'filesystem', '${HOME}/work'),
    work: { 'a.txt': 'one two three' },
    decide,
    calls: (home) => [
      { name: 'mcp_files_read_text_file', args: { path: `${home}/work/a.txt` } },
      { name: 'mcp_files_write_file', args: { path: `${home}/work/b.txt`, content: 'written' } },
      { name: 'mcp_files_read_text_file', args: { path: '/etc/hostname' } },
    ],
  })
  assert.match(results[0] ?? '', /^ok .*one two three/)
  assert.match(results[1] ?? '', /^ok /)
  assert.equal(written, 'written')
  assert.match(results[2] ?? '', /^error .*denied/i)
  assert.equal(asked.length, 1)
  const [question] = asked
  assert.ok(question?.kind === 'approval')
  assert.deepEqual(question.keys, ['mcp files:write_file'])
  assert.ok(question.choices.includes('always'))
})

test('nothing is overwritten where nobody can be asked, unless the server is trusted', async () => {
  const calls = (home: string) => [
    { name: 'mcp_files_write_file', args: { path: `${home}/work/b.txt`, content: 'written' } },
  ]
  const config = serverLine('files', 'filesystem', '${HOME}/work')
  const refused = await turnWith({ config, calls })
  assert.match(refused.results[0] ?? '', /^denied .*mcp_servers\.files\.trust/)
  assert.equal(refused.written, '')
  const trusted = await turnWith({ config: config.replace('"command"', '"trust": true, "command"'), calls })
  assert.match(trusted.results[0] ?? '', /^ok /)
  assert.equal(trusted.written, 'written')
})

test('a turn keeps and finds facts in the memory server', async () => {
  const entity = { name: 'Ann', entityType: 'person', observations: ['likes green tea'] }
  const { results } = await turnWith({
    config: serverLine('notes', 'memory'),
    calls: () => [
      { name: 'mcp_notes_create_entities', args: { entities: [entity] } },
      { name: 'mcp_notes_search_nodes', args: { query: 'tea' } },
    ],
    decide: async (request) =>
      request.kind === 'approval' ? { kind: 'approval', choice: 'once' } : unanswered(request, 'unavailable'),
  })
  assert.match(results[1] ?? '', /^ok .*likes green tea/)
})

test('the everything server: pictures are kept, progress is shown, a model and the person are asked, roots are told', async () => {
  const asked: string[] = []
  const decide: Decide = async (request) => {
    if (request.kind === 'clarify') {
      asked.push(request.question)
      return { kind: 'clarify', answer: request.question.includes('asks:') ? 'Ann' : '', outcome: 'answered' }
    }
    return unanswered(request, 'unavailable')
  }
  const { results, events } = await turnWith({
    config: serverLine('all', 'everything'),
    decide,
    answer: 'The model says hello.',
    calls: () => [
      { name: 'mcp_all_echo', args: { message: 'hello there' } },
      { name: 'mcp_all_get_tiny_image', args: {} },
      { name: 'mcp_all_trigger_long_running_operation', args: { duration: 0.6, steps: 2 } },
      { name: 'mcp_all_trigger_sampling_request', args: { prompt: 'Say hello', maxTokens: 50 } },
      { name: 'mcp_all_trigger_elicitation_request', args: {} },
      { name: 'mcp_all_get_roots_list', args: {} },
      { name: 'mcp_all_get_structured_content', args: { location: 'New York' } },
      { name: 'mcp_all_list_resources', args: {} },
      { name: 'mcp_all_get_prompt', args: { name: 'simple-prompt' } },
      { name: 'mcp_all_get_resource_links', args: { count: 2 } },
    ],
  })
  const [echo, image, long, sampled, elicited, roots, structured, resources, prompt, links] = results
  assert.match(echo ?? '', /^ok .*hello there/)
  assert.match(image ?? '', /^ok .*\[image image\/png, \d+ bytes, kept in [^\]]*cache\/mcp-media\/\w+\.png\]/)
  assert.match(long ?? '', /^ok .*completed/)
  const progress = events.flatMap((event) => (event.type === 'tool-progress' ? [event.text] : []))
  assert.ok(progress.includes('1/2'), progress.join(', '))
  assert.match(sampled ?? '', /^ok .*The model says hello\./)
  assert.match(elicited ?? '', /^ok .*Ann/)
  assert.match(asked[0] ?? '', /The MCP server all asks: /)
  assert.match(roots ?? '', /^ok .*file:\/\/.*\/work/)
  assert.match(structured ?? '', /^ok .*"temperature":\d+/)
  assert.match(resources ?? '', /^ok .*"resources":\[.*demo:\/\//)
  assert.match(prompt ?? '', /^ok .*"messages":\[.*simple prompt/)
  assert.match(links ?? '', /^ok .*\[resource demo:/)
})
