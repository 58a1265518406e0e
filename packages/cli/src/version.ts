declare const __HERMES_VERSION__: string | undefined

/** The version; the bundle has it built in, a source checkout says so. */
export const version: string = typeof __HERMES_VERSION__ === 'string' ? __HERMES_VERSION__ : '0.0.0-source'
