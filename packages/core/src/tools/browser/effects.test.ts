import assert from 'node:assert/strict'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { maxDownloadBytes } from '../../browser/downloads.ts'
import { browserBack } from './back.ts'
import { browserBed, noChromium, refOf, startSite } from '@hermes/testing/browser-services/browser-bed.ts'
import { browserClick } from './click.ts'
import { browserDialog } from './dialog.ts'
import { browserNavigate } from './navigate.ts'
import { browserSnapshot } from './snapshot.ts'
import { browserType } from './type.ts'

test(
  'downloads are kept under harmless names and told; what is too large is not taken',
  { skip: noChromium },
  async () => {
    await using site = await startSite({
      '/': '<a href="/report">Report</a> <a href="/huge">Huge</a>',
      '/report': (_, response) =>
        response.writeHead(200, { 'content-disposition': 'attachment; filename=".bash rc?.txt"' }).end('numbers'),
      '/huge': (_, response) => {
        const headers = {
          'content-disposition': 'attachment; filename=h.bin',
          'content-length': maxDownloadBytes + 1,
          'content-type': 'application/octet-stream',
        }
        response.writeHead(200, headers).write('x'.repeat(1_000_000))
      },
    })
    await using bed = await browserBed()
    const { snapshot } = await bed.run(browserNavigate, { url: site.url })
    const heard = async (call: Promise<{ notices?: string[] }>) => {
      let notices = (await call).notices ?? []
      for (let tries = 0; tries < 200 && !/Downloaded|stopped/.test(notices.join()); tries++) {
        notices = [...notices, ...((await bed.run(browserSnapshot, {})).notices ?? [])]
      }
      return notices.join('\n')
    }
    for (const name of ['bash rc_.txt', 'bash rc_-2.txt']) {
      const told = await heard(bed.run(browserClick, { ref: refOf(snapshot, 'Report') }))
      const path = /Downloaded ".*" \(7 bytes\) to (.*)/.exec(told)?.[1] ?? ''
      assert.equal(path, bed.agent.home.path('cache', 'downloads', name), told)
      assert.equal(await readFile(path, 'utf8'), 'numbers')
    }
    assert.match(
      await heard(bed.run(browserClick, { ref: refOf(snapshot, 'Huge') })),
      /stopped: it is larger than 200 MB/,
    )
    const direct = await bed.run(browserNavigate, { url: `${site.url}/report` })
    assert.deepEqual([direct.success, direct.download], [true, true])
  },
)

test('alerts are closed and told; questions wait for an answer', { skip: noChromium }, async () => {
  await using site = await startSite({
    '/': `<button onclick="alert('Mind the gap')">Alert</button>
      <button onclick="document.title = confirm('Really?') ? 'yes' : 'no'">Confirm</button>
      <button onclick="document.title = prompt('Your name?', 'Bob')">Prompt</button>`,
  })
  await using bed = await browserBed()
  const { snapshot } = await bed.run(browserNavigate, { url: site.url })
  const press = (name: string) => bed.run(browserClick, { ref: refOf(snapshot, name) })
  assert.match((await press('Alert')).notices.join(), /alert: "Mind the gap"/)
  assert.match((await bed.run(browserDialog, { action: 'accept' })).error, /No dialog is open/)
  assert.match((await press('Confirm')).notices.join(), /asks \(confirm\): "Really\?"/)
  assert.match((await bed.run(browserSnapshot, {})).error, /call browser_dialog/)
  assert.equal((await bed.run(browserDialog, { action: 'accept' })).title, 'yes')
  await press('Confirm')
  assert.equal((await bed.run(browserDialog, { action: 'dismiss' })).title, 'no')
  await press('Prompt')
  assert.equal((await bed.run(browserDialog, { action: 'accept', text: 'Ann' })).title, 'Ann')
})

test('a new tab is followed, and left again', { skip: noChromium }, async () => {
  await using site = await startSite({
    '/': '<title>First</title><a href="/second" target="_blank">Open</a>',
    '/second': '<title>Second</title><button onclick="window.close()">Close</button><a href="/third">On</a>',
    '/third': '<title>Third</title>',
  })
  await using bed = await browserBed()
  const { snapshot } = await bed.run(browserNavigate, { url: site.url })
  const opened = await bed.run(browserClick, { ref: refOf(snapshot, 'Open') })
  assert.equal(opened.title, 'Second')
  assert.match(opened.notices.join(), /opened a new tab/)
  const second = await bed.run(browserSnapshot, {})
  await bed.run(browserClick, { ref: refOf(second.snapshot, 'On') })
  assert.equal((await bed.run(browserBack, {})).title, 'Second')
  assert.equal((await bed.run(browserBack, {})).title, 'First')
  assert.match((await bed.run(browserBack, {})).error, /no page before/)
})

test('a file input gets what may be read, and nothing else', { skip: noChromium }, async () => {
  await using site = await startSite({
    '/': `<input type="file" aria-label="Paper" onchange="this.files[0].text().then((text) => { document.title = this.files[0].name + ' ' + text })">`,
  })
  await using bed = await browserBed({ work: { 'paper.txt': 'my words' }, home: { '.env': 'OPENAI_API_KEY=sk-1\n' } })
  await mkdir(join(bed.agent.home.dir, '.ssh'), { recursive: true })
  await writeFile(join(bed.agent.home.dir, '.ssh', 'id_ed25519'), 'key')
  const { snapshot } = await bed.run(browserNavigate, { url: site.url })
  const ref = refOf(snapshot, 'Paper')
  assert.match((await bed.run(browserClick, { ref })).notices.join(), /asks for a file: call browser_type/)
  for (const path of [bed.agent.home.path('.env'), bed.agent.home.path('.ssh', 'id_ed25519'), '/proc/self/environ']) {
    const refused = await bed.run(browserType, { ref, text: path })
    assert.equal(refused.success, false, path)
  }
  assert.match((await bed.run(browserType, { ref, text: 'none.txt' })).error, /There is no file/)
  const given = await bed.run(browserType, { ref, text: 'paper.txt' })
  assert.equal(given.file_bytes, 8, given.error)
  assert.equal((await bed.run(browserSnapshot, {})).title, 'paper.txt my words')
})
