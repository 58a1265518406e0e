import type { Instruction, Step, Surroundings } from './instruction.ts'

/**
 * The steps that a person's text asks for: one, or one a line when every line is an instruction. Undefined when it is
 * none.
 */
export function interpret(
  text: string,
  instructions: readonly Instruction[],
  surroundings: Surroundings,
): readonly Step[] | undefined {
  const request = withoutInput(text)
  const lines = request.split('\n').filter((line) => line.trim() !== '')
  if (lines.length > 1) {
    const steps = lines.map((line) => stepOf(line, instructions, surroundings))
    if (steps.every((step) => step !== undefined)) return steps
  }
  const step = stepOf(request, instructions, surroundings)
  return step && [step]
}

/** The text without what was piped in beside it, which is material and no instruction. */
function withoutInput(text: string): string {
  const at = text.indexOf('<stdin>\n')
  return at >= 0 && text.trimEnd().endsWith('\n</stdin>') ? text.slice(0, at).trimEnd() : text
}

/** What people put before an instruction without meaning anything by it. */
const politeness =
  /^(?:(?:hey|hi|ok|okay)?[\s,]*hermes[\s,:!]+)?(?:please|kindly|now)?[\s,]*(?:(?:can|could|would|will)\s+you\s+)?(?:please\s+)?/iu

/** Longest text that is taken for one of the short instructions, characters. */
const longestInstruction = 1000

function stepOf(text: string, instructions: readonly Instruction[], surroundings: Surroundings): Step | undefined {
  const trimmed = text.trim()
  const asked = trimmed.replace(politeness, '') || trimmed
  for (const instruction of instructions) {
    if (asked.length > longestInstruction && !instruction.takesLongText) continue
    for (const pattern of instruction.patterns) {
      const match = pattern.exec(asked)
      const step = match && instruction.step(match.slice(1), surroundings)
      if (step) return step
    }
  }
  return undefined
}
