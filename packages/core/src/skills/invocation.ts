const instructionMark = "The user's instruction: "
const noInstruction = '[No further instruction was given. If the skill needs one, ask.]'

/** The user's message that `/<skill> <task>` stands for; `block` is the skill's text. */
export function invocation(skill: string, block: string, task: string): string {
  const last = task === '' ? noInstruction : `${instructionMark}${task}`
  return `[The user invoked the skill "${skill}". Follow its instructions.]\n\n${block}\n\n${last}`
}

/** What the person wrote to send such a message; undefined for any other. */
export function typedInvocation(message: string): string | undefined {
  const skill = /^\[The user invoked the skill "([^"\n]+)"\. Follow its instructions\.\]\n/.exec(message)?.[1]
  if (skill === undefined) return undefined
  // The first mark is the block's end: those of the skill's text are escaped.
  const end = message.slice(message.indexOf('</skill>'))
  const at = end.indexOf(`\n\n${instructionMark}`)
  return at === -1 ? `/${skill}` : `/${skill} ${end.slice(at + 2 + instructionMark.length)}`
}
