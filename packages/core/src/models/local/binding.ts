// The part of node-llama-cpp's interface that is used, so that its types need not be installed.
// See https://node-llama-cpp.withcat.ai/api/functions/getLlama

export type Token = number

export interface LlamaModule {
  getLlama(options: Readonly<Record<string, unknown>>): Promise<Llama>
  readonly LlamaGrammarEvaluationState: new (options: { model: LlamaModel; grammar: object }) => GrammarState
}

export interface Llama {
  /** `false`: the processor alone. */
  readonly gpu: string | false
  loadModel(options: Readonly<Record<string, unknown>>): Promise<LlamaModel>
  createGrammar(options: { readonly grammar: string }): Promise<object>
  dispose(): Promise<void>
}

export interface LlamaModel {
  readonly fileInfo: { readonly metadata: unknown }
  readonly tokens: {
    readonly bos: Token | null
    readonly bosString: string | null
    readonly eosString: string | null
    readonly shouldPrependBosToken: boolean
  }
  tokenize(text: string, specialTokens: boolean, options?: 'trimLeadingSpace'): Token[]
  detokenize(tokens: readonly Token[], specialTokens: boolean, lastTokens?: readonly Token[]): string
  createContext(options: Readonly<Record<string, unknown>>): Promise<LlamaContext>
}

export interface LlamaContext {
  readonly contextSize: number
  getSequence(options?: Readonly<Record<string, unknown>>): LlamaSequence
}

/** One conversation whose attention is kept. */
export interface LlamaSequence {
  readonly nextTokenIndex: number
  compareContextTokens(tokens: readonly Token[]): { readonly firstDifferentIndex: number }
  adaptStateToTokens(tokens: readonly Token[], allowShift: boolean): Promise<void>
  evaluateWithoutGeneratingNewTokens(tokens: readonly Token[]): Promise<void>
  evaluate(tokens: readonly Token[], options: Readonly<Record<string, unknown>>): AsyncGenerator<Token, void>
}

/** Opaque: how far an answer has got in a grammar. */
export type GrammarState = object

/** The chat templates' language, which node-llama-cpp brings along. */
export interface JinjaModule {
  readonly Template: new (source: string) => Template
}

export interface Template {
  render(values: Readonly<Record<string, unknown>>): string
}
