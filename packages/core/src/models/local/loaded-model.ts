import { availableParallelism } from 'node:os'
import { ModelError } from '../model-error.ts'
import { fields, text } from '../wire/json-fields.ts'
import type { GrammarState, Llama, LlamaModel } from './binding.ts'
import { callFormOf } from './call-grammar.ts'
import type { CallForm } from './call-grammar.ts'
import { createChatTemplate } from './chat-template.ts'
import type { ChatTemplate } from './chat-template.ts'
import { openConversations } from './conversations.ts'
import type { Conversations } from './conversations.ts'
import type { Runtime } from './runtime.ts'
import { conversations } from './window.ts'

/** Which file, with which window. */
export interface ModelPlan {
  readonly path: string
  /** Tokens. */
  readonly window: number
}

/** A model in memory. */
export interface LoadedModel extends AsyncDisposable {
  readonly plan: ModelPlan
  readonly model: LlamaModel
  /** Tokens that one conversation may have. */
  readonly window: number
  readonly template: ChatTemplate
  readonly callForm: CallForm | undefined
  readonly conversations: Conversations
  /** Tokens of a prompt that are read in one go, between which a call can be stopped. */
  readonly readsAtOnce: number
  /** The state of an answer that must follow a grammar, at its beginning. */
  grammarState(grammar: string): Promise<GrammarState>
}

/** Loads a model file. Throws `ModelError`; when `signal` aborts, its reason. */
export async function loadModel(plan: ModelPlan, runtime: Runtime, signal: AbortSignal): Promise<LoadedModel> {
  const { llama: module, jinja } = runtime
  // Its own choice is at least four threads, which wait for each other in loops: on fewer cores it stands nearly still.
  const threads = Math.max(1, availableParallelism() - 1)
  let llama: Llama | undefined
  try {
    llama = await module.getLlama({ ...quiet, maxThreads: threads })
    signal.throwIfAborted()
    const model = await llama.loadModel({ modelPath: plan.path, loadSignal: signal })
    const { window: contextSize } = plan
    const context = await model.createContext({ contextSize, sequences: conversations, threads, createSignal: signal })
    const { bosString, eosString } = model.tokens
    const source = templateOf(model)
    const template = createChatTemplate({ jinja, source, bos: bosString ?? '', eos: eosString ?? '' })
    return open({ plan, runtime, llama, model, window: context.contextSize, template, context })
  } catch (error) {
    await llama?.dispose()
    signal.throwIfAborted()
    throw loadFailure(error, plan)
  }
}

/** Nothing is built, fetched or printed. */
const quiet = { gpu: 'auto', build: 'never', skipDownload: true, progressLogs: false, logLevel: 'disabled' }

/** A stop is felt after this many tokens of a prompt; a graphics card reads them a hundred times faster. */
const readsAtOnce = { processor: 64, card: 512 }

function open(given: {
  readonly plan: ModelPlan
  readonly runtime: Runtime
  readonly llama: Llama
  readonly model: LlamaModel
  readonly window: number
  readonly template: ChatTemplate
  readonly context: Parameters<typeof openConversations>[0]
}): LoadedModel {
  const { plan, runtime, llama, model, window, template, context } = given
  /** The grammar that was used last: the tools are the same in every turn of a session. */
  let last: { readonly source: string; readonly grammar: object } | undefined
  return {
    plan,
    model,
    window,
    template,
    callForm: callFormOf(template.source, template.abilities.tools),
    conversations: openConversations(context),
    readsAtOnce: llama.gpu === false ? readsAtOnce.processor : readsAtOnce.card,
    grammarState: async (source) => {
      if (last?.source !== source) last = { source, grammar: await llama.createGrammar({ grammar: source }) }
      return new runtime.llama.LlamaGrammarEvaluationState({ model, grammar: last.grammar })
    },
    [Symbol.asyncDispose]: () => llama.dispose(),
  }
}

/** `tokenizer.chat_template` of the file. */
function templateOf(model: LlamaModel): string | undefined {
  return text(fields(fields(model.fileInfo.metadata)?.['tokenizer'])?.['chat_template'])
}

function loadFailure(error: unknown, { path, window }: ModelPlan): unknown {
  if (error instanceof ModelError || !(error instanceof Error)) return error
  const { name, message } = error
  if (name === 'InsufficientMemoryError' || /memory|alloc|context size/i.test(message)) {
    const advice = 'Choose a smaller file, or set model.context_length to less'
    const told = `There is not enough memory for ${path} with a window of ${window} tokens (${message}). ${advice}.`
    return new ModelError('not-configured', told, { cause: error })
  }
  return new ModelError('invalid-request', `The model file ${path} cannot be loaded: ${message}`, { cause: error })
}
