import type { AgentContext } from '@hermes/core/agent/context.ts'
import type { Decide } from '@hermes/core/agent/decision.ts'
import { nobody } from '@hermes/core/agent/decision.ts'
import type { NumberedEvent } from '@hermes/core/agent/events.ts'
import { runTurn } from '@hermes/core/agent/run-turn.ts'
import type { TurnRequest } from '@hermes/core/agent/turn.ts'
import { HttpError } from '../../http/http-error.ts'
import type { AtRest } from '../collect-at-rest.ts'
import type { Said } from '../content.ts'
import { loadImages, loadThoseThatAreThere } from '../images.ts'
import { createApiFace } from './api-face.ts'
import { createTurnGate } from './turn-gate.ts'

/** One request to the agent. */
export interface ApiTurn {
  readonly sessionId: string
  /** Where it is known that the session is not stored yet. */
  readonly isNew?: boolean
  readonly message: Said
  /** Images of messages before, which the stored history does not hold. */
  readonly earlierImages?: readonly string[]
  /** The client's own instructions, for this turn. */
  readonly system: string
  /** Answers what the turn asks; everything is denied when absent. */
  readonly decide?: Decide
}

/** Runs turns for clients, a bounded number at a time. */
export interface ApiTurns {
  /** Turns that run now. */
  readonly running: number
  /** Yields what happens. Throws `HttpError` before the first event where it cannot begin. */
  run(turn: ApiTurn, signal: AbortSignal): AsyncGenerator<NumberedEvent>
  /** Takes no further ones and resolves when none runs, or after `timeoutMs`. */
  drain(timeoutMs: number): Promise<void>
}

const maxTurns = 256

/** Turns that begin in one round of the event loop. */
const beginningsPerRound = 4

const usualToolsets = ['hermes-api-server']

/** The sets of tools that clients get. */
export function toolsetsOf({ config }: Pick<AgentContext, 'config'>): readonly string[] {
  return config.platform_toolsets['api_server'] ?? usualToolsets
}

/** `rest` is told of each turn. */
export function createApiTurns(agent: AgentContext, rest?: Pick<AtRest, 'begin' | 'end'>): ApiTurns {
  let running = 0
  let isDraining = false
  const idle = Promise.withResolvers<void>()
  const gate = createTurnGate(beginningsPerRound)

  async function requestOf(turn: ApiTurn, agent: AgentContext, signal: AbortSignal): Promise<TurnRequest> {
    const { sessionId, isNew, message, earlierImages = [], system, decide } = turn
    const { config } = agent
    const images = [
      ...(earlierImages.length > 0 ? await loadThoseThatAreThere(earlierImages, agent, signal) : []),
      ...(message.images.length > 0 ? await loadImages(message.images, agent, signal) : []),
    ]
    const instructions = [config.agent.system_prompt, system].filter((text) => text.trim() !== '').join('\n\n')
    return {
      session: { id: sessionId, source: 'api_server', isNew },
      // Programs put documents of others into messages, so nothing in them is expanded.
      message: { text: message.text, typedLength: 0, ...(images.length > 0 && { images }) },
      face: createApiFace(decide ?? nobody),
      toolsets: toolsetsOf(agent),
      ...(system !== '' && { instructions }),
    }
  }

  return {
    get running() {
      return running
    },
    async *run(turn, signal) {
      if (isDraining) {
        throw new HttpError(503, 'shutting_down', 'The server is stopping.', { headers: { 'retry-after': '10' } })
      }
      if (running >= maxTurns) {
        const headers = { 'retry-after': '5' }
        throw new HttpError(429, 'rate_limit_exceeded', `At most ${maxTurns} requests run at a time.`, { headers })
      }
      running++
      rest?.begin()
      try {
        await gate.enter()
        // A turn keeps the settings that it begins with.
        const now = { ...agent }
        yield* runTurn(await requestOf(turn, now, signal), now, signal)
      } finally {
        running--
        rest?.end()
        if (isDraining && running === 0) idle.resolve()
      }
    },
    async drain(timeoutMs) {
      isDraining = true
      if (running === 0) return
      const timer = setTimeout(() => idle.resolve(), timeoutMs)
      await idle.promise
      clearTimeout(timer)
    },
  }
}
