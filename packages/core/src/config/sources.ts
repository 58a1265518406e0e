/** Where a value comes from, strongest first: the home's `.env`, the process, `config.yaml`, older places, the schema. */
export type SourceKind = 'env-file' | 'environment' | 'config' | 'legacy' | 'default'

/** A value that one source gives a setting. */
export interface SettingSource {
  readonly kind: SourceKind
  /** For people: `HERMES_MAX_ITERATIONS in .env line 3`, `config.yaml line 9`, `max_turns (config.yaml line 1)` … */
  readonly from: string
  readonly value: unknown
}

/**
 * Who sets what, by dotted key: the first of a list won, the others lost. Only what is set somewhere is in it;
 * everything else has its default.
 */
export type Sources = ReadonlyMap<string, readonly SettingSource[]>

/** Something that people should know about their configuration, though it works. */
export interface ConfigWarning {
  readonly code: 'unknown-key' | 'duplicate-key' | 'legacy-key' | 'shadowed' | 'unset-variable' | 'legacy-file'
  readonly key: string
  readonly message: string
}
