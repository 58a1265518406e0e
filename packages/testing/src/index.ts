export { collectAnswer } from './collect-answer.ts'
export type { CollectedAnswer } from './collect-answer.ts'
export type {
  Fault,
  RecordedRequest,
  RequestBody,
  Script,
  ScriptedAnswer,
  ScriptedToolCall,
  WireMessage,
} from './scripted-model/answer.ts'
export { startScriptedModel } from './scripted-model/server.ts'
export type { ScriptedModel, ScriptedModelOptions } from './scripted-model/server.ts'
export { temporaryHome } from './temporary-home.ts'
export type { TemporaryHome } from './temporary-home.ts'
