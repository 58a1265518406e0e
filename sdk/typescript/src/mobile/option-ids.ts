import type { Prompt } from './types.ts'

/** What `answerPrompt` takes for a card. */
export function optionIds({ options }: Pick<Prompt, 'options'>): readonly string[] {
  return options.map(({ id }) => id)
}
