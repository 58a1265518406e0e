import type { PhoneAgent } from './agent/agent.ts'
import { createMobileAgent } from './agent/mobile-agent.ts'
import { createPhebyAgent } from './agent/pheby-agent.ts'
import { Refusal } from './agent/refusal.ts'
import { forgetToken, keepToken, readConfig, readSettings } from './settings.ts'
import type { AppConfig } from './settings.ts'
import { askToken } from './view/connect-form.ts'
import { element } from './view/element.ts'
import { showPage } from './view/page.ts'
import { showWaiting } from './view/waiting-to-be-let-in.ts'

/** Between two tries to reach a gateway that does not answer yet, ms. */
const againMs = 3_000

async function start(place: HTMLElement): Promise<void> {
  const config = await untilReached(place)
  let problem: string | undefined
  let isWaiting = false
  for (;;) {
    const { token, deviceId } = readSettings()
    const label = config.protocol === 'mobile' ? 'Token (MOBILE_TOKEN)' : 'Secret (PHEBY_SECRET)'
    if (token === '' || problem !== undefined) {
      keepToken(await askToken(place, { label, ...(problem !== undefined && { problem }) }))
    }
    problem = undefined
    const agent = makeAgent(config, { token: readSettings().token, deviceId })
    if (!isWaiting) place.replaceChildren(element('p', { class: 'status', role: 'status' }, 'Connecting …'))
    try {
      await agent.connect()
      showPage(place, agent, () => {
        agent.forget()
        forgetToken()
        location.reload()
      })
      return
    } catch (error) {
      await agent.close()
      isWaiting = error instanceof Refusal && error.isWaiting
      const message = error instanceof Error ? error.message : String(error)
      if (isWaiting) {
        showWaiting(place, message)
        await pause(againMs)
      } else problem = message
    }
  }
}

/** A gateway that restarts is waited for. */
async function untilReached(place: HTMLElement): Promise<AppConfig> {
  for (;;) {
    try {
      return await readConfig()
    } catch {
      place.replaceChildren(
        element('p', { class: 'status', role: 'status' }, 'The gateway does not answer. Trying again …'),
      )
      await pause(againMs)
    }
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

function makeAgent(
  { protocol }: AppConfig,
  { token, deviceId }: { readonly token: string; readonly deviceId: string },
): PhoneAgent {
  const address = new URL('../ws', location.href)
  address.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:'
  address.hash = ''
  const url = address.href
  return protocol === 'pheby'
    ? createPhebyAgent({ url, secret: token })
    : createMobileAgent({ url, token, deviceId, deviceName: navigator.platform || 'Phone' })
}

if ('serviceWorker' in navigator) navigator.serviceWorker.register('sw.js').catch(() => undefined)
const place = document.getElementById('app')
if (place) void start(place)
