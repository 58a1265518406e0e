/** Where a text that the model is to read comes from; what is usual in one place is an attack in another. */
export type TextKind =
  /** Notes of a project, `SOUL.md`, prose that a person attaches. */
  | 'context'
  | 'skill'
  /** An entry of the memory files, which would be a standing order. */
  | 'memory'
  /** A web page or document of a stranger, who has no business with the agent. */
  | 'page'
  /** Program text, diffs, settings. */
  | 'code'

/** A way to steer the agent or to make it give secrets away. */
export interface InjectionPattern {
  readonly id: string
  /** For text in lower case; without flag `g`. Every repetition is bounded, so that no text takes long. */
  readonly pattern: RegExp
  /** One of each group stands in every match, in lower case: to compile a pattern costs more than to run it. */
  readonly hints: readonly (readonly string[])[]
  /** The pattern is for the text as it is written. */
  readonly minds?: 'case'
  /** Kinds of text that it counts in; all unless given. */
  readonly kinds?: readonly TextKind[]
}

/** Gap between two words of a phrase. */
const gap = '[\\x20\\t\\r\\n,;:\'"’_*-]{1,6}'

/** A pattern from words: a space stands for the gap between two words, one with a question mark for one that may lack. */
export function phrase(source: string, flags = ''): RegExp {
  return new RegExp(source.replaceAll(' ?', `(?:${gap})?`).replaceAll(' ', gap), flags)
}

/** Words that are written with bars between them. */
export function words(list: string): readonly string[] {
  return list.split('|')
}

/** Who is meant by a text that speaks to the agent. */
export const agentWords =
  '(?:ai|a\\.i\\.|llms?|language models?|assistants?|chat ?bots?|(?:ai|coding|shopping|research|browser|autonomous) agents?|agents?|gpt(?:-?\\d)?|chatgpt|claude|gemini|copilot|hermes|models?)'
