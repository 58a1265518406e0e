import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createInterface } from 'node:readline/promises'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { temporaryHome } from '../temporary-home.ts'

test('the program serves a script file, lists its requests and ends with its standard input', async () => {
  await using home = await temporaryHome()
  const file = home.path('script.json')
  await writeFile(file, JSON.stringify({ answers: [{ text: 'Hello' }], models: ['tiny'] }))
  const main = fileURLToPath(new URL('main.ts', import.meta.url))
  const child = spawn(process.execPath, ['--conditions=development', main, '--script', file], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  const url = (await createInterface(child.stdout)[Symbol.asyncIterator]().next()).value as string
  const body = JSON.stringify({ model: 'tiny', messages: [{ role: 'user', content: 'hi' }] })
  const answer = await fetch(`${url}/chat/completions`, { method: 'POST', body })
  assert.match(await answer.text(), /Hello/)
  const requests = (await (await fetch(new URL('/scripted/requests', url))).json()) as { arrivedAtNs: string }[]
  assert.equal(requests.length, 1)
  assert.match(requests[0]?.arrivedAtNs ?? '', /^\d+$/)
  child.stdin.end()
  assert.deepEqual(await exited, [0, null])
})
