import type { Chat, SlashCommand } from './slash-command.ts'

/** Where a Chrome that was started with `--remote-debugging-port=9222` is. */
const usualAddress = 'http://127.0.0.1:9222'
const actions = ['connect', 'status', 'disconnect'] as const

export const browser: SlashCommand = {
  name: 'browser',
  args: '[connect [URL] | status | disconnect]',
  summary: 'Let the browser tools use a Chrome that you have open, with what it is signed in to',
  category: 'Tools',
  duringTurn: false,
  async complete(prefix) {
    return actions.filter((action) => action.startsWith(prefix)).map((value) => ({ value }))
  },
  async run(args, chat) {
    const [action = 'status', url] = args.split(/\s+/).filter((part) => part !== '')
    if (action === 'connect') await chat.whileBusy((signal) => connect(url, chat, signal))
    else if (action === 'disconnect') await disconnect(chat)
    else if (action === 'status') await showStatus(chat)
    else
      chat.view.print(
        'Write: /browser connect, /browser connect URL, /browser status or /browser disconnect',
        'warning',
      )
  },
}

async function connect(url: string | undefined, chat: Chat, signal: AbortSignal): Promise<void> {
  const { BrowserError } = await import('@hermes/core/browser/browser-error.ts')
  const { connectTo } = await import('@hermes/core/browser/cdp-address.ts')
  const { hostOf } = await import('@hermes/core/browser/cdp/web-socket-transport.ts')
  const address = url ?? usualAddress
  try {
    const connection = await connectTo(address, signal)
    connection.close()
  } catch (error) {
    if (!(error instanceof BrowserError)) throw error
    chat.view.print(`${error.message} ${url === undefined ? howToStart(chat) : ''}`.trim(), 'warning')
    return
  }
  const own = browserOf(chat)
  await own.close()
  own.cdpUrl = address
  chat.view.print(
    `The browser tools use the browser at ${hostOf(address)} from now on, in tabs of their own. What it is signed in to, they are too.`,
  )
}

function howToStart({ agent }: Chat): string {
  const folder = agent.home.path('chrome-debug')
  return `Start one with: google-chrome --remote-debugging-port=9222 --user-data-dir=${folder}`
}

async function disconnect(chat: Chat): Promise<void> {
  const own = browserOf(chat)
  const wasConnected = own.cdpUrl !== undefined
  await own.close()
  own.cdpUrl = undefined
  chat.view.print(wasConnected ? 'Disconnected; the browser itself goes on.' : 'No browser was connected.')
}

async function showStatus(chat: Chat): Promise<void> {
  const { chooseBackend } = await import('@hermes/core/browser/choose-backend.ts')
  const { backends } = await import('@hermes/core/browser/registry.ts')
  const own = browserOf(chat)
  const { name, missing } = chooseBackend(chat.agent, own.cdpUrl)
  if (missing !== undefined) {
    chat.view.print(`The browser tools cannot be used: ${missing}`, 'warning')
    return
  }
  const { label } = await backends[name]()
  chat.view.print(`${label} (${name}), ${own.isOpen() ? 'open' : 'not open'}`)
}

function browserOf({ agent, session }: Chat) {
  return agent.scopes.get(session.id).browser
}
