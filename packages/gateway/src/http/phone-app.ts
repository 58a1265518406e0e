import { readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { ownHosts } from './own-hosts.ts'

/** Files of the page and their types; no other is served. */
const files: Readonly<Record<string, string>> = {
  'index.html': 'text/html; charset=utf-8',
  'app.js': 'text/javascript; charset=utf-8',
  'sw.js': 'text/javascript; charset=utf-8',
  'style.css': 'text/css; charset=utf-8',
  'icon.svg': 'image/svg+xml',
  'icon-180.png': 'image/png',
  'icon-512.png': 'image/png',
  'manifest.webmanifest': 'application/manifest+json',
}

const headers = {
  'cache-control': 'no-cache',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'permissions-policy': 'microphone=(self), camera=(self), geolocation=()',
}

/** Only what the gateway serves runs here, and it connects to nobody else. */
function headersFor(request: IncomingMessage): Readonly<Record<string, string>> {
  // Not all browsers take 'self' for WebSockets too.
  const sockets = ownHosts(request).flatMap((host) => [` ws://${host}`, ` wss://${host}`])
  const policy = `default-src 'self'; connect-src 'self'${sockets.join('')}; img-src 'self' blob:; media-src blob:; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
  return { ...headers, 'content-security-policy': policy }
}

/**
 * Serves the page for phones below `/app/`, which holds nothing that needs a token. Resolves to false where the request
 * is for something else. `protocol`: what is spoken at `/ws` of this server.
 */
export async function servePhoneApp(
  request: IncomingMessage,
  response: ServerResponse,
  protocol: 'mobile' | 'pheby',
): Promise<boolean> {
  const [path = ''] = (request.url ?? '').split(/[?#]/)
  if (path === '/app') {
    response.writeHead(308, { location: '/app/' }).end()
    return true
  }
  if (!path.startsWith('/app/')) return false
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.writeHead(405, { allow: 'GET, HEAD' }).end()
    return true
  }
  const name = path.slice('/app/'.length) || 'index.html'
  if (name === 'config.json') {
    response
      .writeHead(200, { ...headersFor(request), 'content-type': 'application/json' })
      .end(JSON.stringify({ protocol }))
    return true
  }
  const type = Object.hasOwn(files, name) ? files[name] : undefined
  const content = type === undefined ? undefined : await contentOf(name)
  if (type === undefined || !content) {
    response.writeHead(404, { ...headersFor(request), 'content-type': 'text/plain' }).end('Not found.')
    return true
  }
  response.writeHead(200, { ...headersFor(request), 'content-type': type, 'content-length': content.length })
  response.end(request.method === 'HEAD' ? undefined : content)
  return true
}

/** The page as it was built: beside the bundle, or of this repository where it runs from source. */
async function contentOf(name: string): Promise<Buffer | undefined> {
  const here = import.meta.dirname
  for (const folder of [join(here, 'app'), join(here, '..', 'app'), join(here, '../../../../dist/app')]) {
    try {
      return await readFile(join(folder, name))
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')))
        throw error
    }
  }
  return undefined
}
