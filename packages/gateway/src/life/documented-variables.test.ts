import assert from 'node:assert/strict'
import { readFile, readdir } from 'node:fs/promises'
import { test } from 'node:test'
import { platformSecrets, platformVariables } from '@hermes/core/config/platform-variables.ts'
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

test('every variable of platforms and servers that can be set stands on a page', async () => {
  const folder = new URL('../../../../docs/', import.meta.url)
  const names = (await readdir(folder)).filter((name) => name.endsWith('.md'))
  const texts = await Promise.all(names.map((name) => readFile(new URL(name, folder), 'utf8')))
  const named = new Set(texts.flatMap((text) => text.match(/\b[A-Z][A-Z0-9_]+\b/g) ?? []))
  const known = Object.keys({ ...platformSecrets, ...platformVariables })
  assert.ok(known.length > 100)
  assert.deepEqual(
    known.filter((name) => !named.has(name)),
    [],
  )
})
