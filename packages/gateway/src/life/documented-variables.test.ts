import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { variableFor } from '@hermes/core/config/set-setting.ts'
import { platformFacts } from './setup/registry.ts'

const pages = ['gateway', 'chats', 'api-server', 'cron', 'phones']
const ofPlatforms =
  /\b(?:TELEGRAM|DISCORD|SLACK|MATRIX|EMAIL|WEBHOOK|API_SERVER|MOBILE|PHEBY|HERMES|QQ)_[A-Z0-9_]*[A-Z0-9]\b/g

test('every variable that the pages name, or that setting up asks for, can be set by its name', async () => {
  const named = new Set<string>()
  for (const page of pages) {
    const text = await readFile(new URL(`../../../../docs/${page}.md`, import.meta.url), 'utf8')
    for (const [name] of text.matchAll(ofPlatforms)) named.add(name)
  }
  assert.ok(named.size > 80, `${named.size} variables in the pages`)
  for (const { variables } of platformFacts) for (const { name } of variables) named.add(name)
  assert.deepEqual(
    [...named].filter((name) => variableFor(name) !== name),
    [],
  )
})
