import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What a path answers with: a page, a redirect, a refusal, or nothing at all. */
export type SiteAnswer = string | { readonly to: string } | { readonly status: number } | { readonly hangs: true }

/** A website on this machine. */
export interface Site extends AsyncDisposable {
  readonly url: string
  readonly port: number
  /** The paths that were asked for. */
  readonly paths: readonly string[]
}

/** Starts a website of some pages of HTML (plain text where they hold no tag), by their paths. */
export async function startSite(answers: Readonly<Record<string, SiteAnswer>>): Promise<Site> {
  const paths: string[] = []
  const server = createServer((request, response) => {
    const path = request.url ?? '/'
    paths.push(path)
    const answer = answers[path] ?? { status: 404 }
    if (typeof answer === 'string') {
      const type = answer.startsWith('<') ? 'text/html; charset=utf-8' : 'text/plain'
      response.writeHead(200, { 'content-type': type }).end(answer)
    } else if ('to' in answer) response.writeHead(302, { location: answer.to }).end()
    else if ('status' in answer) response.writeHead(answer.status).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A server that listens on a port has an address of this form.
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    paths,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
