import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { startScriptedModel, temporaryHome } from '@hermes/testing'
import type { RecordedRequest, ScriptedAnswer } from '@hermes/testing'
import { freePort } from '@hermes/testing/free-ports.ts'
import { chromium } from 'playwright-core'
import type { Page } from 'playwright-core'
import { runHermes, scriptedConfig, startHermes } from './run-hermes.ts'

const executablePath = ['/usr/bin/chromium', '/usr/bin/google-chrome', '/usr/bin/chromium-browser'].find(existsSync)
const skip = executablePath === undefined && 'no Chromium'

/** Where pictures of the page are kept for whoever wants to look at them. */
const pictures = process.env['HERMES_TEST_PICTURES']

/** The smallest phone that it has to fit, CSS pixels. */
const phone = { width: 360, height: 740 }

const token = 'made-up-token-of-the-tests'

interface Given {
  readonly script: (request: RecordedRequest) => ScriptedAnswer
  readonly protocol: 'mobile' | 'pheby'
  /** Phones wait until they are let in. */
  readonly isClosed?: boolean
}

/** The built gateway, and its page in a browser of a phone's size. */
async function open({ script, protocol, isClosed = false }: Given) {
  const model = await startScriptedModel((request) => (request.body.tools ? script(request) : { text: 'A title' }))
  const port = await freePort()
  const variable = protocol.toUpperCase()
  const secret = protocol === 'mobile' ? 'MOBILE_TOKEN' : 'PHEBY_SECRET'
  const home = await temporaryHome({
    ...scriptedConfig(
      model.url,
      'memory: {nudge_interval: 0}\nskills: {creation_nudge_interval: 0}\nstreaming: {enabled: true, edit_interval: 0.05}\n',
    ),
    '.env': `${secret}=${token}\n${variable}_PORT=${port}\nMOBILE_ALLOW_ALL_DEVICES=${!isClosed}\nPHEBY_ALLOW_ALL_USERS=true\n`,
  })
  const gateway = startHermes(['gateway', 'run'], home.environment, { cwd: home.dir })
  const browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream'],
  })
  const context = await browser.newContext({ viewport: phone, hasTouch: true, isMobile: true, serviceWorkers: 'allow' })
  const page = await context.newPage()
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(String(error)))
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
  const url = `http://127.0.0.1:${port}/app/`
  await reached(url)
  return {
    model,
    home,
    gateway,
    page,
    context,
    problems,
    url,
    said: () => page.locator('.item.message.agent .text').allInnerTexts(),
    async write(text: string) {
      // What is written behind an open dialog is lost.
      await page.locator('dialog[open]').first().waitFor({ state: 'hidden' })
      await page.getByRole('textbox', { name: 'Message' }).fill(text)
      await page.getByRole('button', { name: 'Send', exact: true }).click()
    },
    async picture(name: string) {
      if (pictures === undefined) return
      await mkdir(pictures, { recursive: true })
      await page.screenshot({ path: join(pictures, `${protocol}-${name}.png`) })
    },
    async [Symbol.asyncDispose]() {
      await browser.close()
      gateway.kill('SIGTERM')
      await gateway.ended
      await model[Symbol.asyncDispose]()
      await home[Symbol.asyncDispose]()
    },
  }
}

async function reached(url: string): Promise<void> {
  for (let left = 600; left > 0; left--) {
    if (
      await fetch(url).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      return
    await wait(100)
  }
  throw new Error(`nothing answers at ${url}`)
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (let left = 600; left > 0; left--) {
    if (await isSo()) return
    await wait(100)
  }
  throw new Error('it did not come about')
}

function lastUser({ body }: RecordedRequest): string {
  return JSON.stringify((body.messages ?? []).findLast(({ role }) => role === 'user')?.content ?? '')
}

const isAfterTool = ({ body }: RecordedRequest) => body.messages?.at(-1)?.role === 'tool'

/** How much of the conversation is below what is seen, CSS pixels. */
const belowTheEnd = `(() => {
  const list = document.querySelector('.items')
  return list.scrollHeight - list.scrollTop - list.clientHeight
})()`

/** Leaves a card on the phone whose end it has not heard. */
const addOldCard = `(() => {
  const key = Object.keys(localStorage).find((name) => name.startsWith('hermes-chat-'))
  if (key === undefined) return
  const options = [{ id: 'once', label: 'Allow once', style: 'primary' }]
  const card = { type: 'card', id: 'old', kind: 'approval', text: 'asked long ago', options, takesText: false }
  localStorage.setItem(key, JSON.stringify([...JSON.parse(localStorage.getItem(key)), card]))
})()`

/** Nothing may reach beyond the side of the screen. */
async function fits(page: Page): Promise<void> {
  const beyond: unknown = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
  assert.ok(Number(beyond) <= 0, `${String(beyond)} pixels too wide`)
}

const answer = `# Weather

It is **fine**. See [the report](https://example.org/x) and <script>globalThis.hacked = 1</script> ![p](https://example.org/p.png)

\`\`\`sh
echo ${'a-very-long-line-'.repeat(12)}
\`\`\`

| day | sky |
|---|---|
| Monday | clear |`

const script: Given['script'] = (request) => {
  const said = lastUser(request)
  if (said.includes('slowly')) return { text: 'One two three four five six.', chunkDelayMs: 1_000 }
  if (said.includes('clean up') && !isAfterTool(request)) {
    return { text: 'I look first.', toolCalls: [{ name: 'terminal', arguments: { command: 'rm -rf ./old' } }] }
  }
  if (said.includes('clean up')) return { text: 'It is clean.' }
  return { text: said.includes('picture') ? 'A nice picture.' : answer }
}

async function connected(all: Awaited<ReturnType<typeof open>>): Promise<void> {
  await all.page.goto(`${all.url}#token=${token}`)
  await all.page.getByRole('textbox', { name: 'Message' }).waitFor()
  assert.ok(!all.page.url().includes(token), 'the token does not stay in the address')
}

async function writeStreamApprove(all: Awaited<ReturnType<typeof open>>): Promise<void> {
  const { page } = all
  await all.write('How is the weather?')
  const text = page.locator('.item.message.agent .text').last()
  await text.getByRole('table').waitFor()
  assert.equal(await text.getByRole('heading', { name: 'Weather' }).count(), 1)
  assert.equal(await text.locator('img, script').count(), 0)
  assert.equal(await page.evaluate(`'hacked' in globalThis`), false)
  await fits(page)
  await all.picture('answer')
  await page.evaluate(`document.documentElement.style.fontSize = '200%'`)
  await fits(page)
  await page.evaluate(`document.documentElement.style.fontSize = ''`)

  await all.write('clean up')
  const card = page.getByRole('region', { name: 'Needs your consent' })
  await card.getByText('rm -rf ./old').waitFor()
  await all.picture('card')
  await fits(page)
  await card.getByRole('button', { name: /^(Allow once|Once)/ }).press('Enter')
  await page.getByText('It is clean.').waitFor()
  assert.equal(await page.evaluate(`document.activeElement.className`), 'item card', 'the focus stays where it was')
  await card.getByText(/Allowed/).waitFor()
  assert.equal(await card.getByRole('button').count(), 0)
  // What was said before the tool is no draft either.
  await until(async () => (await page.locator('[aria-busy="true"]').count()) === 0)
}

test(
  'the mobile protocol on the page: write, stream, approve, photo, voice, reload in mid-turn',
  { skip, timeout: 170_000 },
  async () => {
    await using all = await open({ script, protocol: 'mobile' })
    const { page, model } = all
    await connected(all)
    await writeStreamApprove(all)

    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.getByRole('button', { name: 'Send a photo or a file' }).click(),
    ])
    await page.getByRole('textbox', { name: 'Message' }).fill('what picture is this?')
    await chooser.setFiles({ name: 'photo.png', mimeType: 'image/png', buffer: await page.screenshot() })
    await page.getByText('A nice picture.').waitFor()
    assert.ok(JSON.stringify(model.requests.at(-1)?.body.messages ?? '').includes('image_url'))
    await page.getByRole('img', { name: 'photo.png' }).waitFor()
    await until(async () => Number(await page.evaluate(belowTheEnd)) < 2)
    await all.picture('photo')

    await page.getByRole('button', { name: 'Record a voice message' }).click()
    await all.picture('recording')
    await page.getByRole('button', { name: 'Discard the recording' }).click()
    await page.getByRole('button', { name: 'Record a voice message' }).waitFor()
    assert.equal(await page.locator('.item.file').count(), 1)

    await page.getByRole('button', { name: 'Record a voice message' }).click()
    await wait(700)
    const before = (await all.said()).length
    await page.getByRole('button', { name: 'Send the recording' }).click()
    await page.locator('.item.file.person audio').waitFor()
    await until(async () => (await page.locator('.item.message.agent').count()) > before)

    await all.write('tell me slowly')
    await page.locator('.item.message.agent .text[aria-busy="true"]').waitFor()
    await page.reload()
    await page.getByText('One two three four five six.').waitFor()
    assert.equal((await all.said()).filter((text) => text.includes('six')).length, 1)
    assert.equal(await page.getByText('How is the weather?').count(), 1, 'what was said before is still there')
    await page.getByRole('img', { name: 'photo.png' }).waitFor()
    await page.locator('.item.file.person audio').waitFor()

    await page.addInitScript(addOldCard)
    await page.reload()
    const oldCard = page.getByRole('region', { name: 'Needs your consent' }).filter({ hasText: 'long ago' })
    await oldCard.getByRole('button', { name: 'Allow once' }).click()
    await oldCard.getByText('Not open any more').waitFor()

    await page.getByRole('button', { name: 'Settings' }).click()
    page.once('dialog', (dialog) => void dialog.accept())
    await page.getByRole('button', { name: 'Forget this agent' }).click()
    await page.getByLabel('Token (MOBILE_TOKEN)').waitFor()
    const left = String(await page.evaluate('JSON.stringify(localStorage)'))
    assert.doesNotMatch(left, new RegExp(`${token}|weather`), 'nothing of it stays on the phone')
    await until(async () => (await page.evaluate('indexedDB.databases().then((all) => all.length)')) === 0)
    assert.deepEqual(all.problems, [])
  },
)

test(
  'Pheby on the page: conversations, models, drafts, stop, reload in mid-turn',
  { skip, timeout: 170_000 },
  async () => {
    await using all = await open({
      script(request) {
        if (lastUser(request).includes('go wrong')) return { fault: { type: 'http', status: 400, message: 'As told' } }
        return lastUser(request).includes('hang')
          ? { text: 'It begins and goes on', fault: { type: 'stall', afterChunks: 4 } }
          : script(request)
      },
      protocol: 'pheby',
    })
    const { page } = all
    await connected(all)
    await writeStreamApprove(all)

    await all.write('tell me slowly')
    await page.locator('.item.message.agent .text[aria-busy="true"]').last().waitFor()
    await page.reload()
    await page.getByText('One two three four five six.').waitFor()
    assert.equal((await all.said()).filter((text) => text.includes('six')).length, 1)
    assert.equal(await page.getByText('How is the weather?').count(), 1)

    await all.write('hang')
    await page.getByText('It begins').waitFor()
    await page.reload()
    await page.getByText('It begins').waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('Stopped.').waitFor()

    await all.write('go wrong')
    await page.getByText('As told').first().waitFor()
    await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'hidden' })
    assert.equal(await page.getByText('As told').count(), 1, 'a failure is told once')

    await page.getByRole('button', { name: 'Settings' }).click()
    const dialog = page.getByRole('dialog', { name: 'Settings' })
    await dialog.getByLabel('Reasoning').selectOption('high')
    await until(async () => (await dialog.locator('#model option').count()) > 0)
    await all.picture('settings')
    await dialog.getByRole('button', { name: 'Close' }).click()

    await page.getByRole('button', { name: 'Conversations' }).click()
    await page.getByRole('dialog', { name: 'Conversations' }).getByRole('button', { name: 'New conversation' }).click()
    await until(async () => (await page.locator('.item').count()) === 0)
    await all.write('How is the weather?')
    await page.getByRole('table').waitFor()
    await page.getByRole('button', { name: 'Conversations' }).click()
    await until(async () => (await page.locator('.entries .pick').count()) === 2)
    await all.picture('conversations')
    assert.deepEqual(all.problems, [])
  },
)

test(
  'a phone that is not let in yet shows how, and goes on by itself when it is',
  { skip, timeout: 170_000 },
  async () => {
    await using all = await open({ script, protocol: 'mobile', isClosed: true })
    const { page, home } = all
    await page.goto(`${all.url}#token=${token}`)
    const told = await page.getByText('hermes pairing approve mobile').innerText()
    await all.picture('waiting')
    await fits(page)
    const code = /approve mobile ([A-Z0-9]{8})$/.exec(told)?.[1] ?? ''
    assert.doesNotMatch(told, /device_not_paired/)
    const approved = await runHermes(['pairing', 'approve', 'mobile', code], home.environment, { cwd: home.dir })
    assert.equal(approved.code, 0, approved.stderr)
    await page.getByRole('textbox', { name: 'Message' }).waitFor()
  },
)

test(
  'a wrong token is told and asked for again; the gateway’s restart is waited out',
  { skip, timeout: 170_000 },
  async () => {
    await using all = await open({ script, protocol: 'mobile' })
    const { page } = all
    await page.goto(`${all.url}#token=wrong`)
    await page.getByRole('alert').waitFor()
    await all.picture('refused')
    await fits(page)
    await page.getByLabel('Token (MOBILE_TOKEN)').fill(token)
    await page.keyboard.press('Enter')
    await page.getByRole('textbox', { name: 'Message' }).waitFor()
    // By keyboard alone.
    await page.keyboard.type('How is the weather?')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('table').waitFor()
    all.gateway.kill('SIGSTOP')
    await all.context.setOffline(true)
    await all.write('tell me slowly')
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'later.txt', mimeType: 'text/plain', buffer: Buffer.from('Read this later.') })
    await until(async () => (await page.getByText('not sent yet').count()) === 2)
    await all.picture('unsent')
    await page.reload().catch(() => undefined)
    assert.equal(await page.title(), 'Hermes', 'the page itself opens without a connection')
    all.gateway.kill('SIGCONT')
    await all.context.setOffline(false)
    await page.getByRole('textbox', { name: 'Message' }).waitFor()
    await page.getByText('One two three four five six.').waitFor()
    await until(async () => all.model.requests.some((request) => lastUser(request).includes('Read this later.')))
    await until(async () => (await page.getByText('not sent yet').count()) === 0)
    assert.ok(!(await readFile(all.home.path('logs', 'agent.log'), 'utf8').catch(() => '')).includes(token))
  },
)
