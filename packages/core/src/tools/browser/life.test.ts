import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { browserBed, noChromium, processesIn, refOf, startSite } from '@hermes/testing/browser-services/browser-bed.ts'
import { browserClick } from './click.ts'
import { browserNavigate } from './navigate.ts'
import { browserSnapshot } from './snapshot.ts'

/** Waits until something is so, at most as long as a slow machine needs. */
async function until(isSo: () => boolean): Promise<void> {
  for (let tries = 0; tries < 1_200 && !isSo(); tries++) await delay(25)
  assert.ok(isSo())
}

test('fifty steps leave no process and no folder behind', { skip: noChromium }, async () => {
  await using site = await startSite({
    '/': `<button onclick="this.textContent = Number(this.textContent) + 1">0</button><iframe srcdoc="<p>x"></iframe>`,
  })
  const bed = await browserBed()
  const home = bed.agent.home.dir
  try {
    const { snapshot } = await bed.run(browserNavigate, { url: site.url })
    const ref = refOf(snapshot, 'button')
    for (let step = 1; step <= 49; step++) assert.equal((await bed.run(browserClick, { ref })).success, true)
    assert.match((await bed.run(browserSnapshot, {})).snapshot, /button "49"/)
    assert.ok(processesIn(home).length > 0)
    await bed.context.scopes.close('browsing')
    assert.deepEqual(processesIn(home), [])
    assert.deepEqual(await readdir(bed.agent.home.path('cache', 'browser')), [])
  } finally {
    await bed[Symbol.asyncDispose]()
  }
})

test('a browser that is not used is closed; the next call opens another', { skip: noChromium }, async () => {
  await using site = await startSite({ '/': '<title>Here</title>' })
  await using bed = await browserBed({ browser: 'allow_private_urls: true, inactivity_timeout: 3' })
  await bed.run(browserNavigate, { url: site.url })
  assert.ok(processesIn(bed.agent.home.dir).length > 0)
  await until(() => processesIn(bed.agent.home.dir).length === 0)
  assert.match((await bed.run(browserSnapshot, {})).error, /call browser_navigate first/)
  assert.equal((await bed.run(browserNavigate, { url: site.url })).title, 'Here')
})

test('a browser ends with its process, also when that is killed', { skip: noChromium }, async () => {
  await using site = await startSite({ '/': '<title>Here</title>' })
  for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
    const script = `
      const { browserBed } = await import(${JSON.stringify(import.meta.resolve('@hermes/testing/browser-services/browser-bed.ts'))})
      const { browserNavigate } = await import(${JSON.stringify(new URL('navigate.ts', import.meta.url).href)})
      const bed = await browserBed()
      const { title } = await bed.run(browserNavigate, { url: ${JSON.stringify(site.url)} })
      process.stdout.write(title + ' ' + bed.agent.home.dir)
      setInterval(() => {}, 1000)`
    const child = spawn(process.execPath, ['--conditions=development', '--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [text] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string]
    const [, home = ''] = /^Here (.+)$/.exec(text) ?? []
    assert.ok(processesIn(home).length > 0, text)
    child.kill(signal)
    await once(child, 'close')
    await until(() => processesIn(home).length === 0)
  }
})

test('when the browser ends by itself, the next page starts another', { skip: noChromium }, async () => {
  await using site = await startSite({ '/': '<title>Here</title>' })
  await using bed = await browserBed()
  await bed.run(browserNavigate, { url: site.url })
  for (const pid of processesIn(bed.agent.home.dir)) process.kill(pid, 'SIGKILL')
  await until(() => !bed.session.browser.isOpen())
  assert.equal((await bed.run(browserSnapshot, {})).success, false)
  assert.equal((await bed.run(browserNavigate, { url: site.url })).title, 'Here')
})
