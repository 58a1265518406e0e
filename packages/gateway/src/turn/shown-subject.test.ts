import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shownSubject } from './shown-subject.ts'

test('of a long command its beginning and its end are seen, and that something is left out', () => {
  const command = `echo ${'harmless '.repeat(500)}; rm -rf /`
  const shown = shownSubject(command, 1_500)
  assert.ok(shown.length <= 1_500)
  assert.match(shown, /^echo harmless/)
  assert.match(shown, /rm -rf \/$/)
  assert.match(shown, /\d+ characters are not shown/)
  assert.equal(shownSubject('ls', 1_500), 'ls')
})
