import { openHome } from '@hermes/core/config/home.ts'
import type { ChatOptions } from './chat-options.ts'
import type { Cli } from './command.ts'
import { faceNotes } from './face-notes.ts'
import { startRepl } from './repl/repl.ts'
import { version } from './version.ts'
import { wantedModel } from './wanted-model.ts'

/** Starts the REPL. What the agent needs is opened after its first prompt is shown. */
export async function startInteractive(options: ChatOptions, cli: Cli): Promise<number> {
  const { readImages } = await import('./read-images.ts')
  const images = await readImages(options.images)
  let skills = ''
  return startRepl({
    cli,
    home: openHome(cli.environment),
    version,
    cwd: options.cwd,
    openAgent: async () => {
      const { openAgent } = await import('./open-agent.ts')
      const { skillsText, syncSkills } = await import('./prepare-skills.ts')
      const agent = await openAgent(options, cli)
      await syncSkills(agent, cli.signal)
      skills = await skillsText(agent, 'cli', options.skills)
      return agent
    },
    openSession: async (agent) => {
      const { sessionFor } = await import('./session-for.ts')
      return { ref: await sessionFor(options, agent), isResumed: options.resume !== undefined }
    },
    runTurn: async function* (turn, agent, signal) {
      const { runTurn } = await import('@hermes/core/agent/run-turn.ts')
      yield* runTurn(turn, agent, signal)
    },
    turn: {
      model: wantedModel(options),
      toolsets: options.toolsets,
      maxIterations: options.maxTurns,
      minimalPrompt: options.minimal,
      face: {
        passSessionId: options.passSessionId,
        isLasting: true,
        // What the skills say is known once the agent is open, before the first turn.
        get promptHint() {
          return [faceNotes(options), skills].filter(Boolean).join('\n\n')
        },
      },
    },
    ...(images && { firstMessage: { text: 'Look at this.', images } }),
    yolo: options.yolo,
    ...(options.verbose ? { toolProgress: 'verbose' as const } : options.quiet ? { toolProgress: 'off' as const } : {}),
  })
}
