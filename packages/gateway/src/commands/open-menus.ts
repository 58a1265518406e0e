import { randomBytes } from 'node:crypto'
import type { Logger } from '@hermes/core/log/logger.ts'
import type { Lanes } from '../lanes/lanes.ts'
import type { Button, ChatRef, SentRef } from '../messages/outbound-message.ts'
import type { LiveConnection } from '../platforms/platform-runner.ts'
import { sideLane } from './command.ts'
import type { Menu } from './menu.ts'

/** Choices of one page, in rows of so many; longest label. */
const [pageItems, rowItems, maxLabel] = [8, 2, 38]

/** How long a menu can be pressed, ms, and how many are kept. */
const [keepMs, maxMenus] = [30 * 60_000, 200]

/** Longest that showing one may take, ms. */
const showMs = 30_000

/** Mark of a button's data that belongs to a menu. */
const mark = 'hm'

/** Where a menu is shown, and whose it is. */
export interface MenuPlace {
  readonly sessionKey: string
  readonly chat: ChatRef
  readonly replyTo?: string
}

/** The menus that can be pressed. They live as long as the process: of what it showed before, the buttons say so. */
export interface OpenMenus {
  /** Shows one; false where the chat has no buttons that change. Throws `PlatformError`. */
  show(menu: Menu, place: MenuPlace, signal: AbortSignal): Promise<boolean>
  /** Takes a press in a conversation: what the person is told, '' where the menu shows it. Undefined: it is none of ours. */
  press(data: string, sessionKey: string): string | undefined
}

export interface OpenMenusOptions {
  readonly connectionOf: (platform: string) => LiveConnection | undefined
  readonly lanes: Lanes
  readonly log: Logger
  readonly now: () => number
  /** Takes secrets out of what a failure tells. */
  readonly redact: (text: string) => string
}

interface OpenMenu {
  readonly id: string
  readonly sessionKey: string
  /** It may be pressed before the service has told that it is there. */
  readonly message: Promise<SentRef>
  readonly until: number
  /** The menus that led here, the present one last. */
  readonly path: { readonly menu: Menu; page: number }[]
  /** Which of the pages that it has shown it shows now: a second press of a page before it means nothing any more. */
  step: number
}

export function createOpenMenus({ connectionOf, lanes, log, now, redact }: OpenMenusOptions): OpenMenus {
  const menus = new Map<string, OpenMenu>()

  /** Changes what a menu's message says; without buttons it is closed. */
  async function change(open: OpenMenu, text: string, buttons: readonly Button[] | undefined): Promise<void> {
    const message = await open.message
    const live = connectionOf(message.chat.platform)
    const { buttons: able } = live?.connection ?? {}
    if (!live || !able?.change) return
    const signal = AbortSignal.timeout(showMs)
    await live.budget.take(message.chat, 'final', signal)
    if (buttons) await able.change(message, text, buttons, signal)
    else await able.close(message, text, signal)
  }

  async function end(menu: OpenMenu, text: string): Promise<void> {
    menus.delete(menu.id)
    await change(menu, text, undefined)
  }

  async function act(
    open: OpenMenu,
    { step, what }: { readonly step: number; readonly what: string },
    signal: AbortSignal,
  ): Promise<void> {
    const here = open.path.at(-1)
    if (!here || !menus.has(open.id) || open.step !== step) return
    open.step++
    if (what === 'x') return end(open, `${here.menu.text}\n\n✖ Nothing was changed.`)
    if (what === 'b') open.path.pop()
    else if (what.startsWith('p')) here.page = Number(what.slice(1))
    else {
      const chosen = await here.menu.items[Number(what)]?.choose(signal)
      if (typeof chosen === 'string' || chosen === undefined) return end(open, chosen ?? here.menu.text)
      open.path.push({ menu: chosen, page: 0 })
    }
    const next = open.path.at(-1) ?? here
    await change(open, next.menu.text, buttonsOf(open, next, open.path.length > 1))
  }

  return {
    async show(menu, { sessionKey, chat, replyTo }, signal) {
      const live = connectionOf(chat.platform)
      if (!live?.connection.buttons?.change || live.connection.face) return false
      const id = randomBytes(5).toString('hex')
      const limit = AbortSignal.any([signal, AbortSignal.timeout(showMs)])
      await live.budget.take(chat, 'final', limit)
      const part = {
        type: 'text',
        text: menu.text,
        buttons: buttonsOf({ id, step: 0 }, { menu, page: 0 }, false),
      } as const
      const how = { key: `menu:${id}`, isNotice: true, ...(replyTo !== undefined && { replyTo }) }
      for (const [old, { until }] of menus) if (until < now() || menus.size >= maxMenus) menus.delete(old)
      const message = live.connection.send(chat, part, how, limit)
      menus.set(id, { id, sessionKey, message, until: now() + keepMs, path: [{ menu, page: 0 }], step: 0 })
      try {
        await message
      } catch (error) {
        menus.delete(id)
        throw error
      }
      return true
    },
    press(data, sessionKey) {
      const [own, id = '', step = '', what = ''] = data.split(':')
      if (own !== mark) return undefined
      const open = menus.get(id)
      if (!open || open.until < now()) return 'This button is no longer in use.'
      if (open.sessionKey !== sessionKey) return 'You may not decide this.'
      if (what === 'n' || Number(step) !== open.step) return ''
      lanes.add(sideLane(sessionKey, 'menu'), async (signal) => {
        try {
          await act(open, { step: Number(step), what }, signal)
        } catch (error) {
          if (signal.aborted) return
          log.warn({ error: String(error) }, 'a choice by a button failed')
          const reason = error instanceof Error ? error.message : String(error)
          await end(open, `It failed: ${redact(reason)}`).catch(() => undefined)
        }
      })
      return ''
    },
  }
}

/** One page of a menu: its choices, then the way to other pages, back and out. */
function buttonsOf(
  { id, step }: Pick<OpenMenu, 'id' | 'step'>,
  { menu: { items }, page }: { readonly menu: Menu; readonly page: number },
  hasBefore: boolean,
): readonly Button[] {
  const button = (label: string, what: string, row: number): Button => ({
    label,
    data: `${mark}:${id}:${step}:${what}`,
    row,
  })
  const pages = Math.max(1, Math.ceil(items.length / pageItems))
  const at = Math.min(Math.max(0, Number.isInteger(page) ? page : 0), pages - 1)
  const first = at * pageItems
  const shown = items
    .slice(first, first + pageItems)
    .map(({ label }, index) => button(shortLabel(label), String(first + index), Math.floor(index / rowItems)))
  const turning = [
    ...(at > 0 ? [button('‹', `p${at - 1}`, pageItems)] : []),
    ...(pages > 1 ? [button(`${at + 1}/${pages}`, 'n', pageItems)] : []),
    ...(at < pages - 1 ? [button('›', `p${at + 1}`, pageItems)] : []),
  ]
  const leaving = [...(hasBefore ? [button('Back', 'b', pageItems + 1)] : []), button('Cancel', 'x', pageItems + 1)]
  return [...shown, ...turning, ...leaving]
}

function shortLabel(label: string): string {
  const text = label.trim() || '–'
  return text.length <= maxLabel ? text : `${text.slice(0, maxLabel - 1).toWellFormed()}…`
}
