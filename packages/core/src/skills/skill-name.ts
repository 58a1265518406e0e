/** Longest name of a skill or category. */
export const maxNameChars = 64

const name = /^[a-z0-9][a-z0-9._-]*$/

/** Whether skills we write may be called so: small letters, digits, `.`, `_` and `-`, beginning with a letter or digit. */
export function isSkillName(text: string): boolean {
  return text.length <= maxNameChars && name.test(text) && !text.includes('..')
}

/** The same rule for a category, which is one folder. */
export const isCategoryName = isSkillName

/** What a skill is called after a slash: `Data_Tools 2!` is `data-tools-2`. Empty where nothing is left. */
export function slashName(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[\s_]+/g, '-')
    .replaceAll(/[^a-z0-9-]/g, '')
    .replaceAll(/-{2,}/g, '-')
    .replaceAll(/^-+|-+$/g, '')
}
