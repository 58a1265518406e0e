// DuckDuckGo's page for browsers without scripts, as it answers a form: results whose links go through its redirect, an
// advertisement among them, and a puzzle with status 202 for those who ask too often.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as textOf } from 'node:stream/consumers'
import type { ServiceFault } from '@hermes/core/memory/memory-provider.contract.ts'
import { pagesAbout, snippetOf } from './pages.ts'
import type { StandInPage } from './pages.ts'

export interface StandInDuckDuckGo extends AsyncDisposable {
  readonly url: string
  /** When each search came, ms. */
  readonly searches: readonly { readonly query: string; readonly at: number }[]
  /** Asks for a puzzle from now on, or no more. */
  challenge(isOn: boolean): void
  /** Every request meets this from now on. */
  readonly misbehave: (fault: ServiceFault) => void
}

export async function startDuckDuckGo(pages: readonly StandInPage[]): Promise<StandInDuckDuckGo> {
  const searches: { query: string; at: number }[] = []
  let isChallenging = false
  let fault: ServiceFault | undefined
  const server = createServer((request, response) => {
    if (fault?.type === 'drop') return void request.socket.destroy()
    if (fault?.type === 'hang') return undefined
    if (fault?.type === 'status') return void response.writeHead(fault.status).end()
    if (fault?.type === 'garbage') return void response.end('<html>not what was asked for</html>')
    return void textOf(request).then((form) => {
      const isSearch = request.method === 'POST' && request.url === '/html/'
      if (!isSearch) return response.writeHead(404).end()
      const query = new URLSearchParams(form).get('q') ?? ''
      searches.push({ query, at: performance.now() })
      const status = isChallenging ? 202 : 200
      const html = isChallenging ? puzzle : resultsPage(query, pagesAbout(query, pages))
      return response.writeHead(status, { 'content-type': 'text/html; charset=UTF-8' }).end(html)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A server that listens on a port has an address of this form.
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    searches,
    challenge(isOn) {
      isChallenging = isOn
    },
    misbehave(wanted) {
      fault = wanted
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const puzzle =
  '<html><body><form id="challenge-form"><div class="anomaly-modal__modal">Select all squares</div></form></body></html>'

function resultsPage(query: string, pages: readonly StandInPage[]): string {
  const results = pages.map((page) => {
    const link = `//duckduckgo.com/l/?uddg=${encodeURIComponent(page.url)}&amp;rut=0123abcd`
    return `<div class="result results_links results_links_deep web-result"><div class="links_main links_deep result__body">
<h2 class="result__title"><a rel="nofollow" class="result__a" href="${link}">${escaped(page.title)}</a></h2>
<a class="result__snippet" href="${link}">${escaped(snippetOf(page)).replace(/\w+/, '<b>$&</b>')}</a></div></div>`
  })
  const ad = `<div class="result results_links results_links_deep result--ad"><h2 class="result__title">
<a rel="nofollow" class="result__a" href="https://duckduckgo.com/y.js?ad_domain=shop.example&amp;u3=x">Buy ${escaped(query)}</a></h2></div>`
  const none = '<div class="no-results">No results.</div>'
  return `<!DOCTYPE html><html><head><title>${escaped(query)} at DuckDuckGo</title></head><body><div id="links" class="results">
${results.length > 0 ? [ad, ...results].join('\n') : none}</div></body></html>`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
