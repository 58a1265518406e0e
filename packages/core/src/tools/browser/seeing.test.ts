import assert from 'node:assert/strict'
import { mkdir, readFile, readdir, stat, utimes, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import type { Script } from '@hermes/testing'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'
import { browserBed, noChromium, refOf, startSite } from '@hermes/testing/browser-services/browser-bed.ts'
import { browserClick } from './click.ts'
import { browserNavigate } from './navigate.ts'
import { browserSnapshot } from './snapshot.ts'
import { browserType } from './type.ts'
import { browserVision } from './vision.ts'

test('a picture is taken, kept for a day and asked about; refs are drawn into it', { skip: noChromium }, async () => {
  await using site = await startSite({ '/': '<button>Go</button><iframe srcdoc="<button>In</button>"></iframe>' })
  await using bed = await browserBed({ script: () => ({ text: 'A button is @e1.' }) })
  await bed.run(browserNavigate, { url: site.url })
  const folder = bed.agent.home.path('cache', 'screenshots')
  await mkdir(folder, { recursive: true })
  const [old, other] = [`${folder}/browser_old.png`, `${folder}/mine.png`]
  for (const path of [old, other]) {
    await writeFile(path, 'x')
    await utimes(path, 1, 1)
  }
  const seen = await bed.run(browserVision, { question: 'What is there?', annotate: true })
  assert.equal(seen.analysis, 'A button is @e1.', seen.error)
  assert.deepEqual(
    seen.annotations.map(({ name }: { name: string }) => name),
    ['Go', 'In'],
  )
  const bytes = await readFile(seen.screenshot_path)
  assert.equal(bytes.toString('latin1', 1, 4), 'PNG')
  assert.equal((await stat(seen.screenshot_path)).mode & 0o777, 0o600)
  const request = JSON.stringify(bed.agent.model.requests.at(-1)?.body.messages)
  assert.ok(request.includes(bytes.toString('base64').slice(0, 200)), 'the model gets the picture')
  assert.match(request, /What is there\?/)
  assert.deepEqual(new Set(await readdir(folder)), new Set([seen.screenshot_path.split('/').at(-1), 'mine.png']))
  assert.doesNotMatch((await bed.run(browserSnapshot, { full: true })).snapshot, /hermes/)
})

test('when no model can see, the picture is kept and said', { skip: noChromium }, async () => {
  await using site = await startSite({ '/': 'x' })
  await using bed = await browserBed({
    script: () => ({ fault: { type: 'http', status: 400, message: 'no pictures' } }),
  })
  await bed.run(browserNavigate, { url: site.url })
  const failed = await bed.run(browserVision, { question: 'What?' })
  assert.equal(failed.success, false)
  assert.ok((await readFile(failed.screenshot_path)).length > 0)
  assert.match(failed.note, /picture was taken/)
})

test('a long page is shortened by a model for the task, which sees no secrets', { skip: noChromium }, async () => {
  const links = Array.from({ length: 500 }, (_, n) => `<a href="/${n}">Link number ${n}</a>`)
  await using site = await startSite({
    '/': `${links.join('')}<p>api key sk-proj-abcdefghijklmnopqrstuvwxyz0123456789</p>`,
  })
  await using bed = await browserBed({ task: 'open link 7', script: () => ({ text: '- link "Link number 7" @e8' }) })
  await bed.run(browserNavigate, { url: site.url })
  const { snapshot } = await bed.run(browserSnapshot, {})
  assert.equal(snapshot, '[What matters of a long page]\n- link "Link number 7" @e8')
  const asked = JSON.stringify(bed.agent.model.requests.at(-1)?.body.messages)
  assert.match(asked, /open link 7/)
  assert.doesNotMatch(asked, /abcdefghijklmnopqrstuvwxyz0123456789/)
})

test('what was only seen hidden is typed when the person agrees, and not otherwise', { skip: noChromium }, async () => {
  await using site = await startSite({ '/': '<input aria-label="Key" oninput="document.title = this.value.length">' })
  const environment = { EXA_API_KEY: 'made-up-key-0123456789' }
  const answers = ['deny', 'once'] as const
  let asked = 0
  await using bed = await browserBed({
    environment,
    decide: async () => ({ kind: 'approval', choice: answers[asked++] ?? 'deny' }),
  })
  const { snapshot } = await bed.run(browserNavigate, { url: site.url })
  const hidden = bed.context.redactor.redact(environment.EXA_API_KEY)
  assert.match(hidden, /^«secret:/)
  const typing = () => bed.run(browserType, { ref: refOf(snapshot, 'Key'), text: hidden })
  assert.equal((await typing()).success, false)
  assert.equal((await bed.run(browserSnapshot, {})).title, '')
  assert.equal((await typing()).typed, hidden)
  assert.equal((await bed.run(browserSnapshot, {})).title, String(environment.EXA_API_KEY.length))
})

test('a recording is kept when asked for', { skip: noChromium }, async () => {
  await using site = await startSite({
    '/': `<button onclick="document.body.style.background = 'red'; this.textContent = 'Red'">Paint</button>`,
  })
  await using bed = await browserBed({ browser: 'allow_private_urls: true, record_sessions: true' })
  const { snapshot } = await bed.run(browserNavigate, { url: site.url })
  await bed.run(browserClick, { ref: refOf(snapshot, 'Paint') })
  await bed.run(browserSnapshot, {})
  await bed.session.browser.close()
  const [name = ''] = await readdir(bed.agent.home.path('browser_recordings'))
  const path = bed.agent.home.path('browser_recordings', name)
  if (name.endsWith('.webm')) assert.ok((await stat(path)).size > 0)
  else assert.match(await readFile(`${path}/frames.js`, 'utf8'), /frames\.push\(\["000001\.jpg", [\d.]+\]\)/)
})

test('a turn finds the tools of the browser and uses them', { skip: noChromium }, async () => {
  await using site = await startSite({
    '/': `<title>Shop</title><button onclick="document.title = 'Bought'">Buy</button>`,
  })
  const call = (name: string, args: unknown) => ({ toolCalls: [{ name, arguments: args as Record<string, unknown> }] })
  const script: Script = (request) => {
    const results = (request.body.messages ?? []).filter(({ role }) => role === 'tool')
    const last = JSON.stringify(results.at(-1)?.content ?? '')
    if (results.length === 0) return call('tool_search', { query: 'open a page in a browser and click' })
    if (results.length === 1) return call('use_tool', { name: 'browser_navigate', arguments: { url: site.url } })
    if (results.length === 2) {
      return call('use_tool', { name: 'browser_click', arguments: { ref: /@e\d+/.exec(last)?.[0] } })
    }
    return { text: last.includes('Bought') ? 'It is bought.' : `No: ${last}` }
  }
  await using agent = await startScriptedAgent({
    script,
    config: 'browser: {allow_private_urls: true}\ntools: {search: always}\n',
  })
  const events = await agent.turn('shopping', 'Buy it')
  const text = events.flatMap((event) => (event.type === 'text-delta' ? [event.text] : [])).join('')
  assert.equal(text, 'It is bought.')
})
