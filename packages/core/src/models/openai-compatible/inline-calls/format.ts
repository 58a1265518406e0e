import type { ToolSchema } from '../../model.ts'

/** A call as it stood in the text. */
export interface InlineCall {
  readonly name: string
  /** JSON text, possibly broken. */
  readonly arguments: string
}

/** How a family of models writes tool calls when its server does not read them. */
export interface InlineCallFormat {
  /** What a block of calls begins with. */
  readonly open: string
  /** What it ends with; a block without it lasts until the end of the answer. */
  readonly close?: string
  /** The calls in a block, between its marks. Reads what it can of a block that is broken or cut off. */
  parse(block: string, tools: readonly ToolSchema[]): readonly InlineCall[]
}
