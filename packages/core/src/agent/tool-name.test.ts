import assert from 'node:assert/strict'
import { test } from 'node:test'
import { meantTool } from './tool-name.ts'

const names = ['read_file', 'write_file', 'search_files', 'terminal', 'todo', 'memory']

for (const [wanted, meant] of [
  ['terminal', 'terminal'],
  ['Read-File', 'read_file'],
  ['read file', 'read_file'],
  ['readfile', 'read_file'],
  ['search_file', 'search_files'],
  ['bash', undefined],
  ['_file', undefined],
  ['', undefined],
] as const) {
  test(`"${wanted}" means ${meant ?? 'no tool'}`, () => assert.equal(meantTool(wanted, names), meant))
}
