/** The gateway asks to be started anew (`EX_TEMPFAIL`). */
export const restartExitCode = 75

/** It cannot run as it is set up (`EX_CONFIG`): trying again is of no use. */
export const configExitCode = 78
