import { once } from 'node:events'
import { readFileSync, readdirSync } from 'node:fs'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startScriptedAgent } from '../scripted-agent.ts'
import type { ScriptedAgentOptions } from '../scripted-agent.ts'
import { nobody } from '@hermes/core/agent/decision.ts'
import type { Decide } from '@hermes/core/agent/decision.ts'
import { findChromium } from '@hermes/core/browser/local/find-chromium.ts'
import type { Tool, ToolContext } from '@hermes/core/tools/tool.ts'

/** Why tests with a browser are skipped; false where there is one. */
export const noChromium: string | false =
  findChromium(process.env) === undefined ? 'there is no Chromium on this machine' : false

type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void

/** A website on loopback, by path; every path that is asked for is kept. */
export async function startSite(pages: Readonly<Record<string, string | Answer>>, host = '127.0.0.1') {
  const asked: string[] = []
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://site').pathname
    asked.push(path)
    const page = pages[path]
    let body = ''
    request.setEncoding('utf8').on('data', (text: string) => (body += text))
    request.on('end', () => {
      if (page === undefined) response.writeHead(404).end('not found')
      else if (typeof page === 'function') page(request, response, body)
      else response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page)
    })
  })
  server.listen(0, host)
  await once(server, 'listening')
  // A server that listens on a port has an address of this form.
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

export interface BedOptions extends ScriptedAgentOptions {
  /** Lines below `browser:` of `config.yaml`; by default private addresses are allowed. */
  readonly browser?: string
  readonly environment?: Readonly<Record<string, string>>
  readonly decide?: Decide
  readonly task?: string
}

/** A profile whose session has a browser, and its tools. */
export async function browserBed({
  browser,
  environment = {},
  decide = nobody,
  task = '',
  ...options
}: BedOptions = {}) {
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}\n`)
  const agent = await startScriptedAgent({
    ...options,
    home: { '.env': variables.join(''), ...options.home },
    config: `browser: {${browser ?? 'allow_private_urls: true'}}\n${options.config ?? ''}`,
  })
  const { context } = agent
  await context.sessions.create({ id: 'browsing', source: 'cli' })
  const session = context.scopes.get('browsing')
  const request: ToolContext['turn']['request'] = {
    session: { id: 'browsing', source: 'cli' },
    message: { text: task },
    face: { name: 'cli', decide },
  }
  const tool: ToolContext = {
    agent: context,
    session,
    callId: 'call_1',
    turn: { request, model: await context.models.resolve(undefined, new AbortController().signal) },
    call: () => Promise.reject(new Error('no other tool')),
    tools: new Map(),
    decide,
    progress: () => {},
    signal: new AbortController().signal,
  }
  return {
    agent,
    context,
    session,
    /** Runs a tool; its result's fields. */
    async run<Args>(one: Tool<Args>, args: unknown) {
      const { content } = await one.run(one.input.parse(args), tool)
      // The JSON of many tools, each with its own shape.
      // oxlint-disable-next-line typescript/no-explicit-any
      return JSON.parse(content)
    },
    async [Symbol.asyncDispose]() {
      await agent[Symbol.asyncDispose]()
    },
  }
}

/** The reference of the first line of a snapshot that has all these words. */
export function refOf(snapshot: string, ...words: readonly string[]): string {
  const line = snapshot.split('\n').find((one) => /@e\d+/.test(one) && words.every((word) => one.includes(word)))
  const found = /@e\d+/.exec(line ?? '')?.[0]
  if (found === undefined) throw new Error(`no element with ${words.join(', ')} in:\n${snapshot}`)
  return found
}

/** Processes of this machine whose command line names a folder. */
export function processesIn(folder: string): readonly number[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) return []
    try {
      return readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(folder) ? [Number(name)] : []
    } catch {
      // It has ended meanwhile.
      return []
    }
  })
}
