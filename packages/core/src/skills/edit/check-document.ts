import { parseFrontmatter } from '../frontmatter.ts'
import { skillMetadata } from '../metadata.ts'
import { SkillError } from '../skill-error.ts'
import { maxDescriptionChars, maxSkillChars } from '../skill-limits.ts'

/** Throws `SkillError` with what is wrong with the text of a SKILL.md that is to be written. */
export async function checkDocument(text: string): Promise<void> {
  if (text.length > maxSkillChars) {
    throw bad(`it has ${text.length} characters; at most ${maxSkillChars} are allowed. Move details into references/.`)
  }
  const { form, fields, body } = await parseFrontmatter(text)
  if (form === 'none') throw bad('it must begin with frontmatter: a line "---", the fields, a line "---".')
  if (form === 'lines') throw bad('its frontmatter is no valid YAML. Put texts with a colon in quotation marks.')
  const { name, description } = skillMetadata(fields, '')
  if (name === '') throw bad('its frontmatter has no name.')
  if (description === '') throw bad('its frontmatter has no description.')
  if (description.length > maxDescriptionChars) {
    throw bad(`its description has ${description.length} characters; at most ${maxDescriptionChars} are allowed.`)
  }
  if (body.trim() === '') throw bad('there are no instructions after the frontmatter.')
}

function bad(why: string): SkillError {
  return new SkillError('invalid', `SKILL.md was not written: ${why}`)
}
