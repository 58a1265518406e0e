import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { test } from 'node:test'
import assert from 'node:assert/strict'

const entry = fileURLToPath(new URL('hermes.mjs', import.meta.url))

/** Runs the entry in a process that takes itself for another version of Node. */
function runOnNode(version: string) {
  const pretend = `Object.defineProperty(process.versions, 'node', { value: '${version}' })`
  const node = ['--import', `data:text/javascript,${encodeURIComponent(pretend)}`]
  return spawnSync(process.execPath, [...node, entry, '-t', 'hello'], { encoding: 'utf8' })
}

test('a Node that is too old is told so in words, with what to do', () => {
  for (const version of ['18.19.0', '20.20.2', '24.10.0']) {
    const { status, stderr } = runOnNode(version)
    assert.equal(status, 1)
    assert.match(stderr, /^hermes: needs Node 24\.11 or newer; this is Node /)
    assert.ok(stderr.includes(version))
    assert.match(stderr, /npm start/)
    assert.doesNotMatch(stderr, /TypeError|\n\s+at /)
  }
})

test('a Node that is new enough is not turned away', () => {
  for (const version of ['24.11.0', '24.21.0', '26.0.0']) assert.doesNotMatch(runOnNode(version).stderr, /needs Node/)
})
