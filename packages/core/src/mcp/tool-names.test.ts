import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { chosenServers } from './chosen-servers.ts'
import { toolName, uniqueNames } from './tool-names.ts'
import { isWantedTool } from './wanted-tools.ts'

const word = fc.oneof(fc.string({ maxLength: 80 }), fc.constantFrom('a-b', 'a.b', 'a_b', '', 'x'.repeat(90), 'größe'))
const tools = fc.uniqueArray(fc.record({ server: word, tool: word }), {
  selector: ({ server, tool }) => `${server}\0${tool}`,
  maxLength: 30,
})

test('names are as models take them, each tool has its own, and their order does not matter', () => {
  fc.assert(
    fc.property(tools, fc.nat(), (items, turn) => {
      const named = uniqueNames(items)
      assert.equal(named.size, items.length)
      for (const name of named.keys()) assert.match(name, /^mcp_\w{1,60}$/)
      const at = items.length === 0 ? 0 : turn % items.length
      const turned = uniqueNames([...items.slice(at), ...items.slice(0, at)])
      for (const [name, item] of named) assert.equal(turned.get(name), item)
    }),
  )
})

test('a name is made of the server and the tool; two that would be one get a digest', () => {
  assert.equal(toolName('my-server', 'get.file'), 'mcp_my_server_get_file')
  const names = [...uniqueNames(['get-file', 'get_file'].map((tool) => ({ server: 's', tool }))).keys()]
  for (const name of names) assert.match(name, /^mcp_s_get_file_[0-9a-f]{8}$/)
})

test('which servers a session has', () => {
  const servers = ['github', 'notes', 'web']
  const cases = [
    [undefined, 'asked', servers],
    [['hermes-cli'], 'asked', servers],
    [['file'], 'platform', servers],
    [['file'], 'asked', []],
    [['file', 'notes'], 'platform', ['notes']],
    [['mcp-github'], 'asked', ['github']],
    [['hermes-cli', 'no_mcp'], 'platform', []],
    [['file', 'no_mcp', 'notes'], 'asked', []],
    [['all'], 'asked', servers],
  ] as const
  for (const [toolsets, origin, expected] of cases) {
    assert.deepEqual(chosenServers(servers, toolsets, origin), expected, `${toolsets?.join(' ')} ${origin}`)
  }
})

test('patterns of tools: a star stands for anything, and what is included goes before what is excluded', () => {
  const lists = (include: string[], exclude: string[] = []) => ({ include, exclude, resources: true, prompts: true })
  assert.ok(isWantedTool('read_file', lists([])))
  assert.ok(isWantedTool('read_file', lists(['read_*'])))
  assert.ok(isWantedTool('read_file', lists(['*_file'])))
  assert.ok(isWantedTool('read_big_file', lists(['read*big*file'])))
  assert.ok(!isWantedTool('aa', lists(['a*aa'])))
  assert.ok(!isWantedTool('write_file', lists(['read_*'])))
  assert.ok(!isWantedTool('write_file', lists([], ['write_*'])))
  assert.ok(isWantedTool('write_file', lists(['write_file'], ['write_file'])))
})
