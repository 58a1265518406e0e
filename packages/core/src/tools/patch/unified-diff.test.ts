import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { applyEdits } from './text-content.ts'
import type { Edit } from './text-content.ts'
import { diffOfEdits } from './unified-diff.ts'

test('a diff shows what changed between three lines of context', () => {
  const text = 'a\nb\nc\nd\ne\nf\ng\nh\n'
  const start = text.indexOf('e')
  assert.equal(
    diffOfEdits(text, [{ start, end: start + 1, text: 'E\nE2' }]),
    '@@ -2,7 +2,8 @@\n b\n c\n d\n-e\n+E\n+E2\n f\n g\n h\n',
  )
  assert.equal(diffOfEdits(text, [{ start, end: start + 1, text: 'e' }]), '')
})

test('what is new, removed or without a line end at the end is marked as git does', () => {
  assert.equal(diffOfEdits('', [{ start: 0, end: 0, text: 'a\nb\n' }]), '@@ -0,0 +1,2 @@\n+a\n+b\n')
  assert.equal(diffOfEdits('a\n', [{ start: 0, end: 2, text: '' }]), '@@ -1,1 +0,0 @@\n-a\n')
  assert.equal(
    diffOfEdits('a', [{ start: 1, end: 1, text: '\nb' }]),
    '@@ -1,1 +1,2 @@\n-a\n\\ No newline at end of file\n+a\n+b\n\\ No newline at end of file\n',
  )
})

/** A text and edits of it, in order and apart from each other. */
const edited = fc
  .tuple(
    fc.string({ unit: fc.constantFrom('a', 'b', '\n', '\n'), maxLength: 80 }),
    fc.array(fc.tuple(fc.nat(9), fc.nat(6), fc.string({ unit: fc.constantFrom('a', 'x', '\n'), maxLength: 6 })), {
      maxLength: 4,
    }),
  )
  .map(([text, steps]) => {
    const edits: Edit[] = []
    let at = 0
    for (const [skip, length, fresh] of steps) {
      const start = at + skip
      if (start + length > text.length) break
      edits.push({ start, end: start + length, text: fresh })
      at = start + length + 1
    }
    return { text, edits }
  })

test('git applies the diff of any edits to the same result', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'hermes-diff-'))
  try {
    execFileSync('git', ['init', '-q'], { cwd: folder })
    await fc.assert(
      fc.asyncProperty(edited, async ({ text, edits }) => {
        const result = applyEdits(text, edits)
        const diff = diffOfEdits(text, edits)
        if (result === text) return
        assert.notEqual(diff, '')
        await writeFile(join(folder, 'f'), text)
        const options = { cwd: folder, input: `--- a/f\n+++ b/f\n${diff}`, stdio: ['pipe', 'ignore', 'pipe'] as const }
        execFileSync('git', ['apply', '--unidiff-zero', '--whitespace=nowarn', '-'], {
          ...options,
          stdio: [...options.stdio],
        })
        assert.equal(await readFile(join(folder, 'f'), 'utf8'), result)
      }),
      { numRuns: 60 },
    )
  } finally {
    await rm(folder, { recursive: true })
  }
})
