import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { hadPlatforms } from './last-gateway.ts'

test('a gateway is taken to have platforms where its last one had some, and nothing that is there breaks a start', (t) => {
  const home = mkdtempSync(join(tmpdir(), 'hermes-last-'))
  t.after(() => rmSync(home, { recursive: true, force: true }))
  const had = (text: string) => {
    writeFileSync(join(home, 'gateway_state.json'), text)
    return hadPlatforms(home)
  }
  assert.equal(hadPlatforms(home), false)
  assert.equal(had('{"platforms":{"telegram":{"state":"connected"},"cron":{}}}'), true)
  assert.equal(had('{"platforms":{"api_server":{},"cron":{},"metrics":{}}}'), false)
  for (const text of ['', '{', 'null', '3', '[]', '{}', '{"platforms":null}', '{"platforms":3}', '{"platforms":[]}'])
    assert.equal(had(text), false, text)
})
