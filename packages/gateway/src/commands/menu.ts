import { sideLane } from './command.ts'
import type { ChatCommand, CommandAnswer, CommandCall, CommandWork } from './command.ts'

/** What a person picks from by buttons. Where a chat has none that change, what the command says stands for it. */
export interface Menu {
  /** Above the choices; Markdown. */
  readonly text: string
  readonly items: readonly MenuItem[]
}

export interface MenuItem {
  readonly label: string
  /** Does it: resolves to what is said then, or to the choices that follow. */
  choose(signal: AbortSignal): Promise<string | Menu>
}

/** Choices of a command by itself, with other arguments. */
export function choicesOf(
  text: string,
  choices: readonly { readonly label: string; readonly args: string }[],
  command: Pick<ChatCommand, 'run'>,
  call: CommandCall,
): Menu {
  return {
    text,
    items: choices.map(({ label, args }) => ({
      label,
      async choose() {
        const done = await command.run({ ...call, args })
        if (typeof done === 'string') return done
        return done.work ? worked(done.work, call) : (done.say ?? '')
      },
    })),
  }
}

/** Does what takes its time where it belongs, after all that waits there. */
async function worked({ lane, run }: CommandWork, { chats, sessionKey }: CommandCall): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string | CommandAnswer>()
  chats.lanes.add(lane === undefined ? sessionKey : sideLane(sessionKey, lane), async (signal) => {
    try {
      resolve(await run(signal))
    } catch (error) {
      reject(error)
    }
  })
  const done = await promise
  return typeof done === 'string' ? done : (done.say ?? '')
}
