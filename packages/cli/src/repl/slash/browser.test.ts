import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findChromium } from '@hermes/core/browser/local/find-chromium.ts'
import { startDebuggedChromium } from '@hermes/testing/browser-services/debugged-chromium.ts'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'
import { browser } from './browser.ts'
import { slashTestChat } from './slash-test-chat.ts'

const program = findChromium(process.env)
const skip = program === undefined ? 'there is no Chromium on this machine' : false

test('/browser connects to a running browser, says so, and lets it go', { skip }, async () => {
  await using chromium = await startDebuggedChromium(program ?? '')
  await using all = await startScriptedAgent()
  const { chat, shown } = slashTestChat(all.context)
  const busy = { ...chat, whileBusy: (work: (signal: AbortSignal) => Promise<void>) => work(chat.signal) }
  const { browser: own } = all.context.scopes.get('s')
  await browser.run('connect http://127.0.0.1:1', busy)
  assert.match(shown.at(-1) ?? '', /warning: The browser at 127\.0\.0\.1:1 cannot be reached/)
  assert.equal(own.cdpUrl, undefined)
  await browser.run(`connect ${chromium.httpUrl}`, busy)
  assert.match(shown.at(-1) ?? '', /use the browser at 127\.0\.0\.1:\d+ from now on/)
  assert.equal(own.cdpUrl, chromium.httpUrl)
  await browser.run('status', busy)
  assert.equal(shown.at(-1), 'A running browser (cdp), not open')
  await browser.run('disconnect', busy)
  assert.equal(own.cdpUrl, undefined)
  await browser.run('disconnect', busy)
  assert.equal(shown.at(-1), 'No browser was connected.')
  await browser.run('fly', busy)
  assert.match(shown.at(-1) ?? '', /^warning: Write: \/browser connect/)
})
