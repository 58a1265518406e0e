import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { avatarPage } from './avatar-page.ts'
import type { Devices } from './devices.ts'

/** How long a page's address holds after the connection that it was given to, ms. */
const graceMs = 60_000
/** Addresses that hold at once, and views of one page; the oldest give way, more are refused. */
const maxPages = 20_000
const maxViews = 4
/** Between two signs of life to a view, ms. */
const beatMs = 25_000

/**
 * The page of a device's avatar, for a WebView. Whoever has its address sees the avatar and nothing else: it is made for
 * one connection and ends with it.
 */
export interface AvatarPages {
  /** Makes an address for a connection. */
  open(deviceId: string): { readonly capability: string; close(): void }
  /** Answers a request where it is for a page. */
  serve(request: IncomingMessage, response: ServerResponse): boolean
  close(): void
}

interface Page {
  readonly deviceId: string
  readonly views: Set<ServerResponse>
  expiry?: NodeJS.Timeout
}

const pathPattern = /^\/avatar\/([\w-]{32})(\/events)?$/

export function createAvatarPages(devices: Devices): AvatarPages {
  const pages = new Map<string, Page>()

  function remove(capability: string): void {
    const page = pages.get(capability)
    clearTimeout(page?.expiry)
    for (const view of page?.views ?? []) view.end()
    pages.delete(capability)
  }

  function follow({ deviceId, views }: Page, response: ServerResponse): void {
    response.writeHead(200, { ...headers, 'content-type': 'text/event-stream' })
    const tell = (state: string) => void response.write(`data: ${state}\n\n`)
    tell(devices.avatar(deviceId))
    const unwatch = devices.watchAvatar(deviceId, tell)
    const beat = setInterval(() => response.write(':\n\n'), beatMs).unref()
    views.add(response)
    response.on('close', () => {
      clearInterval(beat)
      unwatch()
      views.delete(response)
    })
  }

  return {
    open(deviceId) {
      const capability = randomBytes(24).toString('base64url')
      const page: Page = { deviceId, views: new Set() }
      pages.set(capability, page)
      const [oldest] = pages.keys()
      if (pages.size > maxPages && oldest !== undefined) remove(oldest)
      return {
        capability,
        close() {
          page.expiry = setTimeout(() => remove(capability), graceMs).unref()
        },
      }
    },
    serve(request, response) {
      const found = pathPattern.exec((request.url ?? '').split('?')[0] ?? '')
      const page = pages.get(found?.[1] ?? '')
      if (!page || request.method !== 'GET') return false
      if (found?.[2] === undefined) sendPage(response, devices.avatar(page.deviceId))
      else if (page.views.size >= maxViews) response.writeHead(429, headers).end()
      else follow(page, response)
      return true
    },
    close() {
      for (const capability of pages.keys()) remove(capability)
    },
  }
}

const headers = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

function sendPage(response: ServerResponse, state: string): void {
  const nonce = randomBytes(16).toString('base64')
  const policy = `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'; connect-src 'self'; base-uri 'none'; form-action 'none'`
  response.writeHead(200, { ...headers, 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy })
  response.end(avatarPage(state, nonce))
}
