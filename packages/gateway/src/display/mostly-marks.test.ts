import assert from 'node:assert/strict'
import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { processorMs } from '@hermes/testing/processor-ms.ts'
import { toHtml as toMailHtml } from '../platforms/email/html.ts'
import { toHtml as toMatrixHtml } from '../platforms/matrix/markdown-html.ts'
import { isMostlyMarks } from './mostly-marks.ts'

test('pages that people write are not mostly marks', async () => {
  const docs = join(import.meta.dirname, '../../../../docs')
  const pages = (await readdir(docs)).filter((name) => name.endsWith('.md'))
  assert.ok(pages.length > 3)
  for (const name of pages) assert.equal(isMostlyMarks(await readFile(join(docs, name), 'utf8')), false, name)
  const table = `| a | b |\n|---|---|\n${'| 1 | 2.5 |\n'.repeat(300)}`
  assert.equal(isMostlyMarks(table), false)
})

test('whatever a model repeats, making HTML of it takes no square of its length', async () => {
  for (const piece of ['*', '**', '_', '- ', '> ', '>', '!', 'a_', '1. ', '[a](', '--\n', '`a', '**a']) {
    const text = `It is:\n\n${piece.repeat(60_000 / piece.length)}x`
    const started = processorMs()
    toMatrixHtml(text)
    await toMailHtml(text)
    const took = processorMs() - started
    assert.ok(took < 4_000, `${took} ms for ${JSON.stringify(piece)}`)
  }
  assert.match((await toMailHtml('**bold**')) ?? '', /<strong>bold/)
})
