import assert from 'node:assert/strict'
import { test } from 'node:test'
import { prepareCall } from '../../agent/tool-call.ts'
import { defineTool, jsonResult } from '../tool.ts'
import { testContext } from '../test-context.ts'
import { requestSchemas } from '../tool-source.ts'
import type { ToolHandle } from '../tool-source.ts'
import { toolSchema } from '../tool-schema.ts'
import { z } from 'zod'
import { withFinders } from './deferred-tools.ts'
import { findTools } from './find-tools.ts'
import { toolSearch } from './tool-search.ts'
import { useTool } from './use-tool.ts'

function handle(name: string, description: string, { isRare = true, toolset = name.split('_')[0] ?? name } = {}) {
  const tool = defineTool({
    name,
    toolset,
    description,
    input: z.object({ url: z.string() }),
    concurrency: 'exclusive',
    isRare,
    preview: () => name,
    run: async ({ url }) => jsonResult({ said: `${name} ${url}` }),
  })
  const made: ToolHandle = {
    name,
    toolset,
    concurrency: 'exclusive',
    schema: toolSchema(tool),
    isRare,
    open: async () => tool,
  }
  return made
}

const finders: readonly ToolHandle[] = [toolSearch, useTool].map((tool) => ({
  name: tool.name,
  toolset: tool.toolset,
  concurrency: tool.concurrency,
  schema: toolSchema(tool),
  open: async () => tool,
}))

const rare = [
  handle('browser_navigate', 'Open a page in the browser.'),
  handle('browser_click', 'Click an element of the page.'),
  handle('image_generate', 'Make a picture from a description.'),
  handle('ha_call_service', 'Switch a light, lock or other device of the smart home.', { toolset: 'homeassistant' }),
  handle('mcp_github_create_issue', 'Open an issue in a repository.'),
]
const common = handle('terminal', 'Run a command.', { isRare: false })
const all = [common, ...rare]

test('rare tools are left out of requests and are named by tool_search; the same tools give the same schemas', () => {
  const tools = withFinders(all, finders, 'always')
  assert.deepEqual(
    requestSchemas(tools).map(({ name }) => name),
    ['terminal', 'tool_search', 'use_tool'],
  )
  assert.equal(tools.size, all.length + finders.length)
  const description = tools.get('tool_search')?.schema.description ?? ''
  for (const { name } of rare) assert.ok(description.includes(name), name)
  const again = withFinders(all.toReversed(), finders, 'always')
  assert.deepEqual([...again.keys()], [...tools.keys()])
})

test('few tools are all shown unless the settings say otherwise', () => {
  for (const tools of [withFinders(all, finders), withFinders(all, finders, 'never')]) {
    assert.equal(requestSchemas(tools).length, all.length)
    assert.ok(!tools.has('tool_search'))
  }
  const many = Array.from({ length: 200 }, (_, n) => handle(`mcp_big_${n}`, 'Does something of the big server.'))
  const tools = withFinders([common, ...many], finders)
  assert.deepEqual(
    requestSchemas(tools).map(({ name }) => name),
    ['terminal', 'tool_search', 'use_tool'],
  )
  assert.match(tools.get('tool_search')?.schema.description ?? '', /and 140 more\.$/)
  assert.ok(!withFinders([common], finders, 'always').has('tool_search'), 'nothing to be found')
})

test('a search finds tools by name, by what they do, and in other forms of a word', () => {
  const best = (query: string) => findTools(rare, query, 5).map(({ name }) => name)
  assert.deepEqual(best('browser_click'), ['browser_click'])
  assert.deepEqual(best('browser_click, image_generate').sort(), ['browser_click', 'image_generate'])
  assert.equal(best('generate images')[0], 'image_generate')
  assert.equal(best('turn on the light')[0], 'ha_call_service')
  assert.equal(best('navigating to a web page')[0], 'browser_navigate')
  assert.equal(best('github issue')[0], 'mcp_github_create_issue')
  assert.deepEqual(best('quantum chromodynamics'), [])
  assert.deepEqual(best(', ,'), [])
})

test('tool_search answers with schemas, and with all names where nothing fits', async () => {
  const tools = withFinders(all, finders, 'always')
  await using t = await testContext({ tools })
  const { json } = await t.run(toolSearch, { query: 'picture' })
  assert.deepEqual(json.tools, [rare[2]?.schema])
  const none = await t.run(toolSearch, { query: 'xyzzy' })
  assert.deepEqual(none.json.available.sort(), rare.map(({ name }) => name).sort())
})

test('use_tool is taken for the call that it names: its arguments are checked and it is what runs', async () => {
  const tools = withFinders(all, finders, 'always')
  const call = (args: unknown) => ({ id: 'call_1', name: 'use_tool', arguments: JSON.stringify(args) })
  const good = await prepareCall(call({ name: 'browser_navigate', arguments: { url: 'https://a.example' } }), tools)
  assert.ok(good.ok)
  assert.equal(good.tool.name, 'browser_navigate')
  assert.deepEqual(good.args, { url: 'https://a.example' })
  assert.equal(good.call.name, 'use_tool', 'the stored call is the one that the model made')

  const asText = await prepareCall(call({ name: 'browser_navigate', arguments: '{"url":"https://a.example"}' }), tools)
  assert.ok(asText.ok)
  assert.deepEqual(asText.args, { url: 'https://a.example' })

  const shown = await prepareCall(call({ name: 'terminal', arguments: { url: 'x' } }), tools)
  assert.ok(shown.ok && shown.tool.name === 'terminal')

  const problems = await Promise.all(
    [
      call({ name: 'browser_navigate', arguments: {} }),
      call({ name: 'nothing_like_it', arguments: {} }),
      call({ arguments: {} }),
      { id: 'call_1', name: 'use_tool', arguments: '{"name": "browser_navi' },
    ].map((one) => prepareCall(one, tools)),
  )
  assert.deepEqual(
    problems.map((one) => (one.ok ? 'ok' : one.problem)),
    ['invalid-arguments', 'unknown-tool', 'invalid-arguments', 'cut-off'],
  )
})

test('use_tool cannot call itself', async () => {
  const tools = withFinders(all, finders, 'always')
  const nested = { name: 'use_tool', arguments: { name: 'terminal', arguments: { url: 'x' } } }
  const prepared = await prepareCall({ id: 'c', name: 'use_tool', arguments: JSON.stringify(nested) }, tools)
  assert.ok(prepared.ok)
  await using t = await testContext({ tools })
  await assert.rejects(prepared.tool.run(prepared.args, t.context), /cannot be called by another tool/)
})
