import { say } from '../instruction.ts'
import type { Instruction } from '../instruction.ts'
import { pattern } from '../pattern.ts'

/** Who is speaking, in one sentence. */
export const whoIAm =
  'I am Hermes’ offline model: no language model, only a small interpreter of plain instructions, which really runs them with the agent’s tools.'

/** `help` and its like; `lines` are all instructions with what they do. */
export function help(lines: readonly string[], howToConnect: string): Instruction {
  return {
    example: 'help',
    does: 'shows this',
    patterns: [
      pattern`(?:help|\?|hi|hello|hey|good (?:morning|evening))[\s,!.]*(?:hermes|there)?[\s!.?]*`,
      pattern`(?:who|what) are you\s*\??`,
      pattern`what can you do\s*\??`,
      pattern`how (?:do|can) i (?:connect|use|set\s*up|configure) [^\n]{0,40}model[^\n]{0,40}`,
    ],
    step: () => say(`${whoIAm}\n\nWhat I understand, one instruction a line:\n${lines.join('\n')}\n\n${howToConnect}`),
  }
}

/** What the gateway says in place of a message whose turn was cut short by a crash; nobody types it, so `help` leaves it out. */
export const interrupted: Instruction = {
  example: '[The process was restarted while you worked on my last message.]',
  does: 'says that what came of it is not known',
  patterns: [pattern`\[The process was restarted while {text}\]`],
  step: () =>
    say(
      'I was restarted while I followed your last instruction, so I do not know what came of it. Look whether it was done, and write it again if it was not.',
    ),
}
