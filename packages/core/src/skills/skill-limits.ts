/** Longest description, characters. */
export const maxDescriptionChars = 1_024

/** What the prompt's index shows of one. */
export const indexDescriptionChars = 60

/** Longest SKILL.md that is written here; a longer one from elsewhere is read with a warning. */
export const maxSkillChars = 100_000

/** Largest SKILL.md that is read at all, bytes. */
export const maxSkillBytes = 1024 * 1024

/** Largest supporting file. */
export const maxFileBytes = 1024 * 1024
export const maxFileChars = 100_000

/** The folders of a skill that supporting files live in. */
export const supportFolders = ['references', 'templates', 'scripts', 'assets'] as const
