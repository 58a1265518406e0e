import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { clawHub, lobeHub, skillsSh, wellKnown } from './directories.ts'
import { emptyObjects, gitHubApi, gitHubRaw } from './github.ts'
import { json } from './reply.ts'
import type { Question, Reply } from './reply.ts'
import { emptyWorld } from './world.ts'
import type { SkillsWorld } from './world.ts'

/** A stand-in, on loopback, of the services that skills come from. */
export interface StandInSkillsHub extends AsyncDisposable {
  readonly url: string
  readonly world: SkillsWorld
  /** The token that its GitHub accepts. */
  readonly token: string
  /** Variables that point every source here. */
  readonly environment: Readonly<Record<string, string>>
  /** Method and path of every request so far. */
  readonly requests: readonly string[]
  /** Refuses connections from now on. */
  stop(): Promise<void>
}

type Service = (question: Question, world: SkillsWorld) => Reply

/** Starts the stand-in with an empty world. */
export async function startSkillsHub(): Promise<StandInSkillsHub> {
  const world = emptyWorld()
  const objects = emptyObjects()
  const token = 'stand-in-token'
  const requests: string[] = []
  const services: readonly (readonly [string, Service])[] = [
    ['/github-api', (question) => gitHubApi(question, world, objects)],
    ['/github-raw', gitHubRaw],
    ['/skills-sh', skillsSh],
    ['/clawhub', clawHub],
    ['/lobehub', lobeHub],
    ['/.well-known/', wellKnown],
    ['/index.json', () => json(world.index)],
  ]

  async function answer(request: IncomingMessage): Promise<Reply> {
    const url = new URL(request.url ?? '/', 'http://stand-in')
    requests.push(`${request.method} ${url.pathname}`)
    if (world.failWith) return { body: 'failed', ...world.failWith }
    const service = services.find(([prefix]) => url.pathname.startsWith(prefix))
    if (!service) return { status: 404, body: 'Not found' }
    const [prefix, serve] = service
    const authorization = request.headers.authorization
    const question: Question = {
      method: request.method ?? 'GET',
      path: url.pathname.slice(prefix.length),
      query: url.searchParams,
      json: request.method === 'POST' ? await bodyOf(request) : undefined,
      hasToken: authorization !== undefined,
      isAuthorized: authorization === `Bearer ${token}`,
    }
    return serve(question, world)
  }

  const server = createServer((request, response) => {
    answer(request).then(
      ({ status, body, headers }) => response.writeHead(status, headers).end(body),
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A server that listens on a port has an address of this form.
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  const stop = async (): Promise<void> => {
    if (!server.listening) return
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
  return {
    url,
    world,
    token,
    requests,
    environment: {
      HERMES_SKILLS_GITHUB_API_URL: `${url}/github-api`,
      HERMES_SKILLS_GITHUB_RAW_URL: `${url}/github-raw`,
      HERMES_SKILLS_SH_URL: `${url}/skills-sh`,
      HERMES_SKILLS_CLAWHUB_URL: `${url}/clawhub`,
      HERMES_SKILLS_LOBEHUB_URL: `${url}/lobehub`,
      HERMES_SKILLS_INDEX_URL: `${url}/index.json`,
    },
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const pieces: Buffer[] = []
  // A request's pieces are buffers, unless an encoding was set.
  for await (const piece of request) pieces.push(piece as Buffer)
  return JSON.parse(Buffer.concat(pieces).toString('utf8'))
}
