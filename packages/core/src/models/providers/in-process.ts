// Providers that are no place to call: their models run in this process. Their code is loaded when one of them is chosen.

/** The provider of model files (GGUF). */
export const localProvider = 'local'

/** The variable that names a model file, used where no model is configured. */
export const modelFileVariable = 'HERMES_LOCAL_MODEL'

/** Their names. */
export const inProcessProviders: ReadonlySet<string> = new Set(['offline', localProvider])
